// An Oclgrind plugin that writes down one launch of a kernel: the kernel's program, as Clang made
// it, and every access of every work-item to global or local memory, in the order in which Oclgrind
// made them.
//
// site/recordings/make.py builds it, loads it (OCLGRIND_PLUGINS) and makes a recording of what it
// writes into the file that the environment variable RECORDER_OUT names; README.md beside this file
// describes a recording. Lines:
//
//   variable NAME SPACE TYPE COUNT    a __local array in the kernel, and its elements
//   function {...}                    JSON: a function of the program; the kernel comes first
//   access ITEM LINE KIND VARIABLE OFFSET SIZE BYTES
//   barrier ITEM LINE
//
// ITEM is a global number, KIND load, store or atomic, VARIABLE an argument's or array's name;
// OFFSET and SIZE are bytes, and BYTES, in hex, what was read (atomic: before) or written.
//
// Built against Oclgrind 21.10 and LLVM 14, the packages liboclgrind-dev and llvm-14-dev of
// Debian 12.
#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

// Of an address in Oclgrind; above them the number of the buffer.
constexpr unsigned OFFSET_BITS = 48;

[[noreturn]] void give_up(const std::string &what) {
  std::cerr << "recorder: " << what << std::endl;
  std::_Exit(1);
}

// "f", "i32", "p" (a pointer), "4f" (a vector), "v" (none): the names of types in a recording.
std::string type_name(const llvm::Type *type) {
  if (type->isVoidTy())
    return "v";
  if (type->isFloatTy())
    return "f";
  if (type->isIntegerTy())
    return "i" + std::to_string(type->getIntegerBitWidth());
  if (type->isPointerTy())
    return "p";
  if (const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return std::to_string(vector->getNumElements()) + type_name(vector->getElementType());
  give_up("a type that recordings do not have");
}

// What an array, of arrays maybe, has as its elements.
llvm::Type *element_of(llvm::Type *type) {
  while (type->isArrayTy())
    type = type->getArrayElementType();
  return type;
}

unsigned line_of(const llvm::Instruction &instruction) {
  return instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0;
}

// The name of an OpenCL function without its mangling: _Z13get_global_idj is get_global_id.
std::string plain_name(const std::string &name) {
  if (name.rfind("_Z", 0) != 0)
    return name;
  size_t digits = 0;
  const int length = std::stoi(name.substr(2), &digits);
  return name.substr(2 + digits, static_cast<size_t>(length));
}

std::string joined(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty() ? "" : ",") + text;
  return all;
}

// One function as JSON. A value is a number; a constant stands in its place, in brackets. A block
// says nothing that depends on what other blocks have: branches are counted from it, and its values
// by their place in it. So kernels that differ in one line share the blocks of all others.
class FunctionWriter {
public:
  FunctionWriter(const llvm::Function &function)
      : function(function), layout(function.getParent()) {}

  std::string json() {
    number_values();
    std::vector<std::string> arguments, blocks;
    for (const llvm::Argument &argument : function.args())
      arguments.push_back("\"" + type_name(argument.getType()) + "\"");
    for (const llvm::BasicBlock &block : function) {
      written.clear();
      for (const llvm::Instruction &instruction : block)
        if (!is_nothing(instruction))
          write(instruction);
      blocks.push_back("[" + joined(written) + "]");
    }
    return "{\"name\":\"" + plain_name(function.getName().str()) + "\",\"arguments\":[" +
           joined(arguments) + "],\"blocks\":[" + joined(blocks) + "]}";
  }

  std::set<const llvm::Function *> called; // of those that have a body

private:
  const llvm::Function &function;
  const llvm::DataLayout layout;
  std::map<const llvm::Value *, int> numbers;
  std::map<const llvm::BasicBlock *, int> block_numbers;
  int temporaries = 0;
  std::vector<std::string> written; // of this block

  static bool is_nothing(const llvm::Instruction &instruction) {
    return llvm::isa<llvm::DbgInfoIntrinsic>(instruction) || instruction.isLifetimeStartOrEnd();
  }

  // Is a value used in another block than its own? A phi uses it where it comes from.
  static bool leaves_its_block(const llvm::Instruction &instruction) {
    for (const llvm::Use &use : instruction.uses()) {
      const auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
      const llvm::BasicBlock *where = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (where != instruction.getParent())
        return true;
    }
    return false;
  }

  void number_values() {
    int next = 0, far = 1000;
    for (const llvm::Argument &argument : function.args())
      numbers[&argument] = next++;
    for (const llvm::BasicBlock &block : function) {
      block_numbers.emplace(&block, static_cast<int>(block_numbers.size()));
      int at = 100;
      for (const llvm::Instruction &instruction : block) {
        if (is_nothing(instruction) || instruction.getType()->isVoidTy())
          continue;
        if (llvm::isa<llvm::AllocaInst>(instruction))
          numbers[&instruction] = next++;
        else
          numbers[&instruction] = leaves_its_block(instruction) ? far++ : at++;
      }
    }
    if (next > 100)
      give_up("more variables than there are numbers for");
  }

  int number(const llvm::Value *value) {
    const auto [at, is_new] = numbers.emplace(value, 2000 + temporaries);
    temporaries += is_new;
    return at->second;
  }

  std::string constant(const llvm::Constant *value) {
    if (const auto *whole = llvm::dyn_cast<llvm::ConstantInt>(value))
      return std::to_string(whole->getBitWidth() == 1 ? whole->getZExtValue()
                                                      : whole->getSExtValue());
    if (const auto *real = llvm::dyn_cast<llvm::ConstantFP>(value)) {
      const float number = real->getValueAPF().convertToFloat();
      std::ostringstream out;
      out << std::setprecision(9) << number;
      return std::isfinite(number) ? out.str() : "\"" + out.str() + "\"";
    }
    if (const auto *global = llvm::dyn_cast<llvm::GlobalVariable>(value))
      return "\"@" + global->getName().str() + "\"";
    if (llvm::isa<llvm::UndefValue>(value))
      return "null";
    if (const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType())) {
      std::vector<std::string> elements;
      for (unsigned i = 0; i < vector->getNumElements(); i++)
        elements.push_back(constant(value->getAggregateElement(i)));
      return "[" + joined(elements) + "]";
    }
    give_up("a constant that recordings do not have");
  }

  std::string operand(const llvm::Value *value) {
    // An expression becomes an instruction before this one.
    if (const auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(value)) {
      llvm::Instruction *instruction =
          const_cast<llvm::ConstantExpr *>(expression)->getAsInstruction();
      write(*instruction);
      const int result = number(instruction);
      numbers.erase(instruction);
      instruction->deleteValue();
      return std::to_string(result);
    }
    if (const auto *known = llvm::dyn_cast<llvm::Constant>(value))
      return "[" + constant(known) + "]";
    return std::to_string(number(value));
  }

  // ["op", line, result, type, operands...]; result -1: none.
  void write(const llvm::Instruction &instruction) {
    std::string op = instruction.getOpcodeName();
    std::string type = type_name(instruction.getType());
    std::ostringstream rest;
    const auto from_here = [&](const llvm::BasicBlock *block) {
      return block_numbers.at(block) - block_numbers.at(instruction.getParent());
    };
    const auto add = [&](const llvm::Value *value) { rest << "," << operand(value); };
    const auto add_all = [&](const auto &uses) {
      for (const llvm::Use &use : uses)
        add(use.get());
    };
    if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      type = type_name(element_of(alloca->getAllocatedType()));
      rest << "," << layout.getTypeAllocSize(alloca->getAllocatedType()) << ",\""
           << alloca->getName().str() << "\"";
    } else if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      type = type_name(store->getValueOperand()->getType());
      add_all(instruction.operands());
    } else if (const auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      op = "gep"; // base, then pairs: index, bytes of a step
      add(gep->getPointerOperand());
      for (auto at = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); at != end; ++at) {
        if (at.getStructTypeOrNull() != nullptr)
          give_up("an index into a struct");
        add(at.getOperand());
        rest << "," << layout.getTypeAllocSize(at.getIndexedType());
      }
    } else if (const auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
      if (branch->isConditional())
        add(branch->getCondition());
      for (unsigned i = 0; i < branch->getNumSuccessors(); i++) // if it holds, if it does not
        rest << "," << from_here(branch->getSuccessor(i));
    } else if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
        rest << "," << from_here(phi->getIncomingBlock(i));
        add(phi->getIncomingValue(i));
      }
    } else if (const auto *compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
      op += " " + llvm::CmpInst::getPredicateName(compare->getPredicate()).str();
      type = type_name(compare->getOperand(0)->getType());
      add_all(instruction.operands());
    } else if (const auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
      add_all(instruction.operands());
      for (const int lane : shuffle->getShuffleMask())
        rest << "," << lane;
    } else if (const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      const llvm::Function *callee = call->getCalledFunction();
      if (callee == nullptr)
        give_up("a call of a function that is not known by its name");
      if (!callee->isDeclaration())
        called.insert(callee);
      op = std::string("call ") + (callee->isDeclaration() ? "" : "@") +
           plain_name(callee->getName().str());
      add_all(call->args());
    } else {
      if (const auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
        op += " " + type_name(cast->getSrcTy());
      add_all(instruction.operands());
    }
    std::ostringstream out;
    out << "[\"" << op << "\"," << line_of(instruction) << ","
        << (instruction.getType()->isVoidTy() ? -1 : number(&instruction)) << ",\"" << type << "\""
        << rest.str() << "]";
    written.push_back(out.str());
  }
};

class Recorder : public oclgrind::Plugin {
public:
  Recorder(const oclgrind::Context *context) : Plugin(context) {
    const char *path = std::getenv("RECORDER_OUT");
    if (path == nullptr)
      give_up("RECORDER_OUT is not set");
    out.open(path);
    if (!out)
      give_up(std::string("cannot write ") + path);
  }

  void kernelBegin(const oclgrind::KernelInvocation *invocation) override {
    kernel = invocation->getKernel()->getFunction();
    const llvm::DataLayout layout(kernel->getParent());
    for (const llvm::GlobalVariable &variable : kernel->getParent()->globals())
      if (variable.getAddressSpace() == oclgrind::AddrSpaceLocal) {
        llvm::Type *const whole = variable.getValueType();
        llvm::Type *const inner = element_of(whole)->getScalarType();
        out << "variable " << variable.getName().str() << " local " << type_name(inner) << " "
            << layout.getTypeAllocSize(whole) / layout.getTypeAllocSize(inner) << "\n";
      }
    std::vector<const llvm::Function *> todo{kernel};
    // The same kernel with other lines, in the same file: then this is all that is asked for.
    const bool programs = std::getenv("RECORDER_PROGRAMS") != nullptr;
    if (programs)
      for (const llvm::Function &function : *kernel->getParent())
        if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
          todo.push_back(&function);
    std::set<const llvm::Function *> done;
    while (!todo.empty()) {
      const llvm::Function *function = todo.back();
      todo.pop_back();
      if (!done.insert(function).second)
        continue;
      FunctionWriter writer(*function);
      out << "function " << writer.json() << "\n";
      todo.insert(todo.end(), writer.called.begin(), writer.called.end());
    }
    if (programs) {
      out.close();
      std::_Exit(0);
    }
  }

  void workGroupBegin(const oclgrind::WorkGroup *) override {
    places.clear();
  }

  void memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                  size_t size) override {
    access("load", memory, item, address, bytes_at(memory, address), size);
  }

  void memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                   size_t size, const uint8_t *data) override {
    access("store", memory, item, address, data, size);
  }

  void memoryAtomicLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
                        oclgrind::AtomicOp, size_t address, size_t size) override {
    access("atomic", memory, item, address, bytes_at(memory, address), size);
  }

  void instructionExecuted(const oclgrind::WorkItem *item, const llvm::Instruction *instruction,
                           const oclgrind::TypedValue &) override {
    const auto *call = llvm::dyn_cast<llvm::CallInst>(instruction);
    if (call != nullptr && call->getCalledFunction() != nullptr &&
        plain_name(call->getCalledFunction()->getName().str()) == "barrier")
      out << "barrier " << item->getGlobalIndex() << " " << line_of(*instruction) << "\n";
  }

  bool isThreadSafe() const override {
    return false;
  }

private:
  std::ofstream out;
  const llvm::Function *kernel = nullptr;
  std::map<std::pair<unsigned, size_t>, std::string> places; // (space, buffer): name

  static const unsigned char *bytes_at(const oclgrind::Memory *memory, const size_t address) {
    return static_cast<const unsigned char *>(memory->getPointer(address));
  }

  // Where the buffers, and the variables of the group of this work-item, lie.
  void find_places(const oclgrind::WorkItem *item) {
    const auto place = [&](const llvm::Value &value) {
      const unsigned space = value.getType()->getPointerAddressSpace();
      places[{space, item->getOperand(&value).getPointer() >> OFFSET_BITS}] = value.getName().str();
    };
    for (const llvm::Argument &argument : kernel->args())
      if (argument.getType()->isPointerTy() && !argument.use_empty())
        place(argument);
    for (const llvm::GlobalVariable &variable : kernel->getParent()->globals())
      if (variable.getAddressSpace() == oclgrind::AddrSpaceLocal && !variable.use_empty())
        place(variable);
  }

  void access(const char *kind, const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
              const size_t address, const unsigned char *data, const size_t size) {
    const unsigned space = memory->getAddressSpace();
    if (space != oclgrind::AddrSpaceGlobal && space != oclgrind::AddrSpaceLocal)
      return;
    if (places.empty())
      find_places(item);
    const auto found = places.find({space, address >> OFFSET_BITS});
    if (found == places.end())
      give_up("an access to memory that is no argument's and no array's");
    out << "access " << item->getGlobalIndex() << " " << line_of(*item->getCurrentInstruction())
        << " " << kind << " " << found->second << " "
        << (address & ((size_t{1} << OFFSET_BITS) - 1)) << " " << size << " " << std::hex
        << std::setfill('0');
    for (size_t i = 0; i < size; i++)
      out << std::setw(2) << static_cast<unsigned>(data[i]);
    out << std::dec << "\n";
  }
};

Recorder *recorder;

} // namespace

extern "C" {
void initializePlugins(oclgrind::Context *context) {
  recorder = new Recorder(context);
  context->registerPlugin(recorder);
}
void releasePlugins(oclgrind::Context *context) {
  context->unregisterPlugin(recorder);
  delete recorder;
}
}
