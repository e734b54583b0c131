// SPDX-License-Identifier: Apache-2.0
#include "readings.h"

#include "enum_names.h"

namespace assay {
namespace {

constexpr bool kJudged = true;
constexpr bool kAvoided = false;

// Paths are those of the specification's repository at tag v1.0.2; `.tosac` files are under
// pseudocode/operators or pseudocode/library.
constexpr Reading kReadings[] = {
    // Graphs, errors and state.
    {"first-error-wins", "CLAMP SLICE RESHAPE CONCAT AVG_POOL2D",
     "chapters/pseudocode.adoc, Operator Validation Helpers",
     "An ERROR_IF that holds does not end the operator, and a REQUIRE that fails later makes the "
     "graph unpredictable after all. CLAMP with max_val < min_val fails apply_clip_s, SLICE beyond "
     "the input fails tensor_index_to_offset, so these errors could never be demanded.",
     "All ERROR_IFs of an operator are decided before it runs. An operator with one that holds "
     "does not run, so the REQUIREs inside its loops are not reached. Level checks, the REQUIREs "
     "at its head (MUL, TABLE) and the sizes of its tensors are decided with the ERROR_IFs, and "
     "override them.",
     "Otherwise the ERROR_IFs would be there in vain; stopping at the first error is named as an "
     "acceptable implementation.",
     "An ERROR_IF ends the operator at once; the graph is an error unless an operator before it "
     "was unpredictable.",
     kJudged},
    {"require-elsewhere", "", "chapters/pseudocode.adoc, Operator Validation Helpers",
     "Unpredictable overrides error for the whole graph, but the order of operators is the "
     "implementation's, and one that stops at the first error never sees the other.",
     "The executor says unpredictable if any operator that runs before or after breaks a REQUIRE "
     "or level check. Vectors that demand an error contain no such operator.",
     "The override is written for the graph, not for an order.",
     "Unpredictable, once set, stays; an error that comes first ends the run, so that later "
     "operators are not seen.",
     kAvoided},
    {"untaken-branch", "COND_IF WHILE_LOOP", "COND_IF.tosac, WHILE_LOOP.tosac",
     "Only graphs that are run are checked: an error inside a branch that is not taken, or in a "
     "body that runs zero times, does not exist.",
     "The executor follows the text. The validator reports such errors, and no verdict hangs on "
     "them: generators grow every branch and body as a valid graph.",
     "A compiler that checks all graphs before running any is reasonable, too.",
     "Graphs are built and checked when control flow runs them, so errors in the other branch are "
     "not seen.",
     kAvoided},
    {"dead-operators", "", "chapters/operators.adoc, Operator Graphs",
     "All operators of a graph are executed, so an INTDIV by zero that nothing reads makes the "
     "graph unpredictable, and an ERROR_IF there makes it an error.",
     "As written. Vectors do not make an outcome depend on an operator whose result is not used: "
     "generators take back every operator that would not be valid.",
     "Removing dead code is too common to be called wrong.",
     "All operators of a block are evaluated.", kAvoided},
    {"rank-beyond-level",
     "REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PRODUCT REDUCE_SUM CONST IDENTITY",
     "tosa.xml, rank and levellimit; chapters/introduction.adoc, Levels",
     "The Arguments table ends the rank at MAX_RANK, which makes a higher one an error; most "
     "operators also have a LEVEL_CHECK of it, which makes it unpredictable, and these have not.",
     "A rank above the level's MAX_RANK is unpredictable for every operator "
     "(graph/LEVEL_CHECK/tensor-rank where it has no level check); a rank below the minimum is an "
     "error. Generators stay within the level.",
     "Levels say what has to be supported, not what has to be refused.",
     "A rank of 7 is an error for every operator: it has no kernels for more than 6.", kAvoided},
    {"compile-time-constant", "", "chapters/operators.adoc, Operator Arguments",
     "A CTC input must be connected to a CTC output, but no ERROR_IF says so.",
     "A graph that breaks this is an implied error, graph/ERROR_IF/compile-time-constant, unless "
     "the target has EXT-DYNAMIC.",
     "It is stated as a condition of a conformant graph, as the other conditions are.",
     "Not checked. Any tensor is taken for such an operand.", kJudged},
    {"malformed-graph", "", "chapters/operators.adoc, Operator Graphs",
     "A graph is a collection of connected operators, executed in a topological order. That a "
     "tensor "
     "is made once, that there is such an order, and that the graphs that control flow names exist "
     "and do not contain themselves, is taken for granted.",
     "A file that holds anything else is an implied error (graph/ERROR_IF/unproduced-tensor, "
     "duplicate-producer, produced-input, cycle, unknown-region, recursion). Doubled or undeclared "
     "names are a matter of the file alone: it is refused when it is read.",
     "It cannot be executed, and is no graph with unpredictable results either.",
     "A name given twice, or a tensor made twice, ends the process; a name that no graph has is an "
     "error.",
     kJudged},
    {"captured-tensor", "", "chapters/operators.adoc, Operator Graphs; control_flow.adoc",
     "The graphs of COND_IF and WHILE_LOOP get an input list. Whether their operators may read "
     "other "
     "tensors of the graph around them is not said.",
     "They may not: it is an implied error, graph/ERROR_IF/captured-tensor. (Some writers of files "
     "do it; "
     "Arm's test directories are resolved when they are read.)",
     "An operator's inputs are outputs of operators of its own graph, or inputs of that graph.",
     "A name that a block does not have is looked up in the graph that runs it. The type and rank "
     "of a name are those of the first tensor that has it, in any block.",
     kJudged},
    {"control-flow-types", "COND_IF WHILE_LOOP", "COND_IF.tosac, WHILE_LOOP.tosac",
     "The lists of tensors and the signatures of graphs are compared by shape only.",
     "Element types have to agree as well; a difference is an implied error, "
     "graph/ERROR_IF/list-types.",
     "Operators inside read the tensors by the type that the graph declares.",
     "Types, ranks and dimensions are compared; a difference is an error.", kJudged},
    {"loop-condition", "WHILE_LOOP", "WHILE_LOOP.tosac",
     "tensor_size is applied to a list of shapes, and tosa_output_type is not defined.",
     "The condition graph has one output, of type bool and with one element, of any rank. Another "
     "number of outputs is an implied error, graph/ERROR_IF/condition-outputs.",
     "It is what the comment says, and what reading element 0 needs.",
     "The condition graph's output has to be of rank 0; one of shape [1] is an error.", kJudged},
    {"loop-termination", "WHILE_LOOP", "WHILE_LOOP.tosac",
     "Nothing is said about a loop that does not end.",
     "The executor stops after a number of iterations that it is given, says so, and has no "
     "outcome. Loops of vectors run five times at most.",
     "No program can tell an endless loop from a long one.",
     "It stops after 10000 iterations, and calls the result valid.", kAvoided},
    {"nested-context", "COND_IF WHILE_LOOP", "COND_IF.tosac, WHILE_LOOP.tosac",
     "tosa_execute_graph takes a context, but control flow calls it without one.",
     "Nested graphs run in the context of the graph that runs them.",
     "Variables would otherwise be lost inside a loop.",
     "There is no context that operators could see: it has no variable operators.", kJudged},
    {"nested-seen", "COND_IF WHILE_LOOP VARIABLE VARIABLE_WRITE",
     "chapters/operators.adoc, tosa_execute_graph",
     "Every run of a graph clears the flag `seen` of all variables, nested runs included. A write "
     "inside or after control flow to a variable declared before it is then unpredictable, and a "
     "second declaration after it is not noticed.",
     "As written. Vectors of this reading write a variable inside control flow, and after it in "
     "the same graph, only where it has been declared again, in a loop in every round anew.",
     "The wording is clear, though hardly meant.", "It has no variable operators.", kJudged},
    {"nested-keeps-seen", "COND_IF WHILE_LOOP VARIABLE VARIABLE_WRITE",
     "chapters/operators.adoc, tosa_execute_graph",
     "Every run of a graph clears the flag `seen` of all variables, nested runs included.",
     "Offered beside `nested-seen`: a graph that control flow runs belongs to the execution that "
     "runs it, and clears nothing, so that branches and bodies may write what was declared around "
     "them. Vectors that are valid only so carry the tag, and say so in their semantics.",
     "It is how variables inside control flow are written, and what implementations do.",
     "It has no variable operators.", kJudged},
    {"variable-order", "COND_IF WHILE_LOOP VARIABLE VARIABLE_READ VARIABLE_WRITE",
     "chapters/operators.adoc, Operator Graphs",
     "Operators run in any topological order, and also in graph order. Variable operators of one "
     "name are not ordered by data, unless a write depends on a read.",
     "The executor runs them as listed. Vectors that hang on more of the list than that a variable "
     "is declared before it is used carry the tag; those without it write only what hangs on what "
     "the same graph reads of the variable, if it reads it.",
     "An implementation may rely on either sentence.",
     "It has no variable operators; other operators run once their operands are there.", kJudged},
    {"variable-identity", "VARIABLE VARIABLE_READ VARIABLE_WRITE",
     "VARIABLE*.tosac, variable_tensor_lookup.tosac, variable_tensor_allocate.tosac",
     "The table of variables has two names, allocation never enters anything into it, lookup gives "
     "a copy, `seen` is not initialised, and VARIABLE_WRITE looks up `uid`.",
     "A context has one table, by name. The first declaration enters the variable; flags and data "
     "are those of the entry.",
     "The surrounding text leaves no other way.",
     "It has no variable operators. Tensors that are marked as variables are loaded from and "
     "stored to files, by name.",
     kJudged},
    {"variable-redeclaration", "VARIABLE", "VARIABLE.tosac",
     "Declaring a known variable again in a later run ignores its initial value, and does not "
     "compare shape and type.",
     "As written: it keeps value, shape and type of the first declaration.",
     "State that survives invocations is the purpose of the operator.",
     "It has no variable operators.", kJudged},
    {"rfc-uid", "VARIABLE VARIABLE_READ VARIABLE_WRITE", "the proposal of stateful operators",
     "The proposal knows a variable by an int32 `uid`, the specification by a name.",
     "By the semantics `rfc` names that read as the same int32 in decimal are one variable; any "
     "other name is a symbol that stands for a uid of its own.",
     "A file holds names. The proposal's own examples use symbols.",
     "It has no variable operators.", kAvoided},
    {"rfc-first-declaration", "VARIABLE", "the proposal of stateful operators",
     "The proposal's pseudocode allocates into a new local variable that shadows the one whose "
     "`seen` it sets afterwards, which is NULL.",
     "By the semantics `rfc`, too, the first declaration sets `seen` of the new variable.",
     "The proposal's text on the flag says so.", "It has no variable operators.", kAvoided},
    {"rfc-redeclaration", "VARIABLE VARIABLE_WRITE", "the proposal of stateful operators",
     "The proposal returns from the declaration of a variable of an earlier execution before it "
     "sets `seen`; the specification sets it.",
     "By the semantics `rfc` a write after such a declaration is unpredictable, and a second one "
     "goes unnoticed.",
     "It is what the proposal's pseudocode does.", "It has no variable operators.", kAvoided},
    {"rfc-context", "VARIABLE VARIABLE_READ VARIABLE_WRITE", "the proposal of stateful operators",
     "The proposal has one global list of variables; the specification has a context.",
     "By the semantics `rfc`, too, each context has a list of its own.",
     "One global list is one context.", "It has no variable operators.", kAvoided},
    {"rfc-data", "VARIABLE VARIABLE_READ VARIABLE_WRITE", "the proposal of stateful operators",
     "The proposal's loops run over the indices of a shape, of which rank 0 has none, and its "
     "VARIABLE_READ stores to `input1`.",
     "By the semantics `rfc`, too, a variable of rank 0 has one element, and VARIABLE_READ gives "
     "its output.",
     "The proposal's tables have ranks from 0 on, and an output.", "It has no variable operators.",
     kAvoided},
    {"rfc-types", "VARIABLE VARIABLE_READ VARIABLE_WRITE", "the proposal of stateful operators",
     "The proposal lists seven types of variables; the specification's tables have three rows.",
     "By the semantics `rfc` variables are bool, i8, i16, i32, fp16, bf16 or fp32.",
     "The proposal has no other table.", "It has no variable operators.", kAvoided},
    {"variable-types", "VARIABLE VARIABLE_READ VARIABLE_WRITE", "tosa.xml, VARIABLE and var_t",
     "var_t has seven types, the tables of data types have three rows; in_t is bound by "
     "initial_value only, which may be absent; var_t, an enumeration, is compared with a type.",
     "`type` binds in_t, so a variable is i8, fp16 or fp32. Another type is an error with an "
     "initial "
     "value and an implied error, VARIABLE/ERROR_IF/declared-type, without one. An initial value "
     "of "
     "another type or shape is unpredictable.",
     "A row of the table is what makes an operator legal.",
     "It has no variable operators; IDENTITY copies from and to variable tensors of any type.",
     kJudged},
    {"comparison-of-results", "", "chapters/introduction.adoc, TOSA Graph Compliance",
     "tosa_test_compliance compares outputs exactly, passes no context, and runs a stateful graph "
     "twice.",
     "Outputs are compared by the precision rules of each operator; each side runs every step once "
     "in a context of its own.",
     "Floating-point operators could not comply otherwise.",
     "Its verifier compares a result with one in fp64 by a mode that the test names, and has no "
     "state.",
     kJudged},
    {"unsupported-rows", "", "chapters/introduction.adoc, Profiles",
     "Whether a type row is legal does not depend on the implementation's profiles, and there is "
     "no result `unsupported`.",
     "Vectors name what they need. A target that lacks it is not judged: an operator that its "
     "profiles and extensions do not include is no error, but outside of it; `assay check` names "
     "it as graph/TARGET/operators.",
     "An implementation must implement only what it claims.",
     "It knows all profiles and extensions together; an operator or type that it lacks is an "
     "error.",
     kJudged},
    {"empty-dimension", "", "tensor_utils.tosac; chapters/introduction.adoc, Tensors",
     "The text demands dimensions of at least 1; the pseudocode REQUIREs it in tensor_size, which "
     "not every operator calls.",
     "An operand or result with a dimension below 1 makes the graph unpredictable, by the "
     "operator's tensor_size if it calls it, else by graph/REQUIRE/tensor-size. Generators draw "
     "dimensions of 1 and more.",
     "It is the only consequence that is stated.",
     "Unpredictable, for any tensor that an operator uses.", kAvoided},
    {"tensor-bytes", "", "tensor_utils.tosac; chapters/introduction.adoc, Tensors",
     "The bytes of a tensor must be representable as tensor_size_t, but only its elements are "
     "checked.",
     "Both are limits, with the same consequence as an empty dimension. Tensors of generators are "
     "far from them.",
     "As for elements.",
     "Each dimension alone is compared with 2^31 - 1; neither their product nor bytes are.",
     kAvoided},
    {"i4-minimum", "", "chapters/introduction.adoc, Supported Number Formats",
     "int4_t excludes -8, and no rule refuses it.",
     "No vector contains it. The executor calculates with -8.",
     "Neither error nor value is stated.",
     "A -8 ends the program: by an assertion, or by a wrong access where assertions are off.",
     kAvoided},
    {"bool-encoding", "", "chapters/introduction.adoc, Supported Number Formats",
     "The size of bool_t is the implementation's; any non-zero value is accepted as true.",
     "Readers take any non-zero byte as true. Vectors contain 0 and 1 only, and outputs are "
     "compared as truth values.",
     "How wide a bool is cannot be seen in a graph.", "One byte, 0 or 1.", kJudged},
    {"list-length", "CONCAT CUSTOM COND_IF WHILE_LOOP", "tosa.xml, levellimit of tensor lists",
     "The level check compares a list of shapes with MAX_TENSOR_LIST_SIZE.",
     "The length of the list is compared. Generators stay within it.", "Nothing else can be.",
     "It compares the number of inputs with MAX_TENSOR_LIST_SIZE.", kAvoided},
    {"derivable-shapes",
     "REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PRODUCT REDUCE_SUM CONCAT",
     "REDUCE_*.tosac, CONCAT.tosac",
     "The output is checked along the axis only. A larger output elsewhere fails "
     "tensor_index_to_offset, a smaller one would be a cropped result.",
     "Any such difference is unpredictable, OP/REQUIRE/tensor_index_to_offset. Generators infer "
     "the shapes of outputs.",
     "An error is not stated, and output shapes have to be derivable from the inputs.",
     "CONCAT: an error. REDUCE_*: not checked.", kAvoided},
    {"nan-mode-default", "ARGMAX MAX_POOL2D CLAMP MAXIMUM MINIMUM REDUCE_MAX REDUCE_MIN",
     "tosa.xml, nan_mode",
     "nan_mode is PROPAGATE by default and ignored for integers, yet it is not optional.",
     "It is always present and a value of the enumeration, for integers too; otherwise it is an "
     "error, OP/ERROR_IF/attributes. Vectors do not break this for integers.",
     "Zero is no value of the enumeration.",
     "A value that is not of the enumeration is an error, for integers too.", kJudged},

    // Operators.
    {"matmul-zero-point", "MATMUL", "MATMUL.tosac",
     "A non-zero zero point is an error if in_t is i8_t, where the argument's description and the "
     "comment allow it for that type only.",
     "A non-zero zero point is an error unless in_t is i8.",
     "The condition lacks its negation, as the same rule in CONV2D shows.",
     "The same: a non-zero zero point is an error unless the operand is i8.", kJudged},
    {"matmul-product", "MATMUL", "MATMUL.tosac",
     "apply_mul_s is called with one argument, a product taken before.",
     "apply_mul_s(value1, value2).", "It has two parameters.", "The same.", kJudged},
    {"conv2d-weight-type", "CONV2D", "CONV2D.tosac",
     "The zero point of weights is allowed if weight_t is int8_t, which no type row has.",
     "A zero point of weights is allowed if weight_t is i8.", "The other convolutions say i8_t.",
     "The same.", kJudged},
    {"average-count", "AVG_POOL2D", "AVG_POOL2D.tosac; chapters/appendix_a.adoc",
     "Floats are divided by the count converted to in_out_t, which cannot hold every count; the "
     "test data multiply by 1 / KS for the whole kernel instead.",
     "The reference divides by the exact count of elements inside the image, and the bound of the "
     "dot product check uses the same weights. It admits a count that is rounded. A result is not "
     "judged if its count is beyond the range of in_out_t, for example 480 in fp8e4m3.",
     "The reference is calculated in fp64, and padding does not count.",
     "It divides by the count of elements inside the image, in the type of the accumulator; so do "
     "its bounds, in fp64.",
     kJudged},
    {"average-overflow", "AVG_POOL2D", "AVG_POOL2D.tosac; tosa_reference_check_dotproduct.tosac",
     "The sum of a window may overflow its accumulator although the average is in range; the check "
     "looks at the bound of the average alone, and demands the average.",
     "Where the absolute values of a window add up to more than the accumulator's type holds, the "
     "result is not judged.",
     "The pseudocode divides after it adds.",
     "It adds, then divides. Its verifier follows the text.", kAvoided},
    {"mul-shift-type", "MUL", "MUL.tosac",
     "A non-zero shift is required to come with int32_t, which no type row has, so that every "
     "shift would be unpredictable.",
     "A non-zero shift is allowed if in_t is i32.", "The next use of the type says i32_t.",
     "It shifts if the operands are i32, and ignores the shift of others.", kJudged},
    {"mul-shift-63", "MUL", "MUL.tosac",
     "With shift 63 the product of two minima and the rounding constant exceed int64_t.",
     "Calculated exactly (the result is 1). Vectors shift by 62 at most.",
     "The overflow of a helper variable is not meant to be seen.",
     "Undefined: its sum overflows 64 bits.", kAvoided},
    {"mul-low-bits", "MUL", "MUL.tosac; chapters/introduction.adoc, Integer Behavior",
     "Integer overflow is said to be unpredictable as the REQUIREs tell, but the product of two "
     "i32 without shift has none and a comment that names the low 32 bits.",
     "The low 32 bits, without a REQUIRE.", "The pseudocode is explicit.", "The same.", kJudged},
    {"table-length", "TABLE", "TABLE.tosac; tosa.xml",
     "The Arguments table gives the length of the table, which would make another one an error; "
     "the pseudocode REQUIREs it.",
     "Unpredictable, TABLE/REQUIRE/1. Generators make tables of the right length.",
     "Unpredictable overrides an error.", "An error.", kAvoided},
    {"table-entries", "TABLE", "TABLE.tosac",
     "The table itself is cast to int16_t before apply_lookup_s.",
     "Its entries are read as signed 16-bit values.", "A table is no number.", "The same.",
     kJudged},
    {"abs-sign", "ABS", "ABS.tosac",
     "The operand is converted to int32_t before it is compared with 0, so that -0.5 would stay as "
     "it is.",
     "The operand itself is compared.", "The absolute value of -0.5 is 0.5.",
     "x if x > 0, else -x: of +0 it makes -0.", kJudged},
    {"negate-zero", "NEGATE", "NEGATE.tosac; chapters/ewise_unary.adoc",
     "0 - (+0 - 0) is +0, the table of floating-point behavior says -0.", "The sign is changed.",
     "The table is the more specific text.", "The same.", kJudged},
    {"reduce-axis-one", "REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PRODUCT REDUCE_SUM",
     "REDUCE_*.tosac",
     "The dimensions left of the axis are taken only if axis > 1, so that for axis 1 the first one "
     "is lost and indices have the wrong rank.",
     "Dimensions left of the axis are taken if axis > 0.", "Axis 1 is in range.", "The same.",
     kJudged},
    {"flatten", "ARGMAX REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PRODUCT REDUCE_SUM",
     "flatten.tosac", "The inner loop runs over the outer list, and nothing is returned.",
     "The concatenation of the lists.", "So the text above it.",
     "The same: it reduces along a dimension of the tensor.", kJudged},
    {"pad-high-side", "PAD", "PAD.tosac",
     "Whether an element lies behind the input is asked of the index before padding is subtracted, "
     "against the length of a number.",
     "index1[i] >= shape1[i].", "It is the mirror of the test for the low side.", "The same.",
     kJudged},
    {"transpose-perms", "TRANSPOSE", "TRANSPOSE.tosac",
     "for_each_data_position runs over positions, here it is used for the values of perms.",
     "The values are checked.", "The comments say so.", "The same.", kJudged},
    {"cast-nan", "CAST", "chapters/type_conversion.adoc",
     "A NaN cast to an integer is unpredictable in the text; the pseudocode has no REQUIRE.",
     "Unpredictable, CAST/REQUIRE/nan_to_integer. Generators cast no NaN to an integer.",
     "The text is explicit.",
     "A value without an error; which one is left to the machine's conversion.", kAvoided},
    {"cast-rounding", "CAST", "chapters/type_conversion.adoc",
     "The accuracy of a cast between floats compares the input with the reference and never names "
     "the result.",
     "The result is the input rounded to nearest or towards zero; of a half both neighbors are "
     "nearest. Beyond the range it is an infinity, or as OFP8 says without saturation. An input "
     "that the output's type holds is unchanged.",
     "These are the two modes that the sentence names as allowed; where a half goes it does not "
     "say.",
     "It rounds to nearest even. Its verifier admits what lies half an ULP above the input in "
     "magnitude or less, and one ULP below, also where the input needs no rounding. An i32 that "
     "becomes bf16 is rounded twice, first to fp32.",
     kJudged},
    {"rescale-input", "RESCALE", "RESCALE.tosac",
     "A signed input is extended from a variable that has no value yet.", "in_value is extended.",
     "It is what was read from the tensor.", "The same.", kJudged},
    {"rescale-unsigned-clip", "RESCALE", "RESCALE.tosac, arithmetic_helpers.tosac",
     "An unsigned result is clipped by apply_clip_u, which zero-extends an int32_t: a negative "
     "value becomes a large one and is clipped to the maximum.",
     "A negative value is clipped to 0, as a signed number.",
     "Clipping keeps the order of numbers.",
     "The same: a negative value becomes 0. An operator that follows gets the unsigned number, 255 "
     "where the bits of the i8 mean -1.",
     kJudged},
    {"rescale-inexact-unsigned", "RESCALE", "chapters/type_conversion.adoc, RESCALE",
     "The integers that INEXACT_ROUND admits are clipped to minimum_s<out_t> and maximum_s<out_t>, "
     "for an unsigned output too.",
     "They are clipped to the range of the output as it is read, 0 to 255 or 65535.",
     "So the result of SINGLE_ROUND is, which is said to meet the bound.",
     "It clips to 0 and the unsigned maximum. Its verifier compares the stored bits as unsigned "
     "numbers.",
     kJudged},
    {"rescale-unsigned-zero-point", "RESCALE", "RESCALE.tosac",
     "A zero point of type i16_t is compared with 32768, which no int16_t is.",
     "With the unsigned flag of its side a zero point is read as unsigned, in these conditions as "
     "in the calculation.",
     "The comment gives uint16 the zero points 0 and 32768.", "The same.", kJudged},
    {"resize-mode-row", "RESIZE", "tosa.xml, RESIZE",
     "Which type rows belong to which mode is said in the label of the row only.",
     "i8 to i32 and i16 to i48 are bilinear, equal integers nearest, floats both. Another "
     "combination is an implied error, RESIZE/ERROR_IF/mode-types.",
     "The output type cannot hold the other mode's result.", "The same, an error.", kJudged},
    {"resize-max-scale", "RESIZE", "tosa.xml, RESIZE; chapters/image.adoc",
     "n / d <= MAX_SCALE after reduction does not say whether the division is exact.",
     "n <= MAX_SCALE * d. Vectors have no ratio between MAX_SCALE and MAX_SCALE + 1.",
     "A ratio is a rational number.", "It divides integers: 513 / 2 is within 256.", kAvoided},
    {"resize-nearest", "RESIZE", "chapters/image.adoc, RESIZE; tosa.xml, RESIZE",
     "The bound of 0.006 of the largest element is stated for RESIZE, whatever the mode, while "
     "NEAREST is said to return the value of the input that is closest. resize_t is bf16_t for "
     "bf16, which cannot hold every fraction: beside 1/2 it rounds to it.",
     "NEAREST copies one element, which has to be exact (see copied-floats). Its place is "
     "calculated with exact fractions. Where the fraction, or one of the numbers it is made of, "
     "leads to the other element once it is rounded to resize_t, that element is accepted as well.",
     "A copy has no rounding error, and the reference is calculated in fp64. Who follows the "
     "pseudocode to the letter is not to be blamed.",
     "It copies, but calculates the fraction in the type of the image. Its verifier allows the "
     "bound in both modes.",
     kJudged},
    {"resize-products", "RESIZE", "RESIZE.tosac",
     "v00 * (unit_y - dy) * (unit_x - dx) names no type for its products; those of i16 elements "
     "leave the 32 bits that C++ would give them.",
     "Products and sums are exact, as the type of the output holds them.",
     "The output of i16 elements is i48 for nothing else.",
     "It multiplies in the type of the output, in 64 bits for i48.", kJudged},
    {"rfft-output-shape", "RFFT2D", "RFFT2D.tosac",
     "The outputs are written with shape [N,H,W], the Arguments table gives [N,H,W/2 + 1].",
     "[N,H,W/2 + 1].", "The loop ends there.", "The same.", kJudged},

    // Accuracy.
    {"infinite-bound", "EXP POW SIGMOID TANH LOG RESIZE", "tosa_reference_check.tosac",
     "With an infinite error bound any value passes: at the infinities, at 0 for LOG, and where "
     "the fp64 reference of a finite operand overflows.",
     "Tables of special values come first. Where the reference is infinite, the result has to be "
     "that infinity. RESIZE, which has no table, is left open where an element of the input is "
     "infinite, unless the reference is NaN.",
     "A rule that everything meets is not meant for EXP(710).",
     "Its verifier follows the text: any value passes.", kJudged},
    {"table-at-zero", "EXP COS", "chapters/ewise_unary.adoc",
     "A table gives the result at zero; unlike for SIGMOID, TANH and SIN, the text does not say "
     "that the check of the error bound is for other operands only.",
     "At zero the error bound applies, which is wider. For the three others the table alone does.",
     "The check is said to validate the result, without exception.",
     "Its verifier applies the bound everywhere, at zero too, and has no tables.", kJudged},
    {"half-exponent", "COS SIN", "numeric_accuracy_helpers.tosac",
     "exp2 takes an int and is given half the bits of the fraction, 11.5 for fp32.",
     "The exponent loses its fraction (2^-11 for fp32, 2^-3 for bf16), which is the wider bound.",
     "So a conversion to int does.", "The same: the exponent is converted to an int.", kJudged},
    {"bias-term",
     "CONV2D CONV3D DEPTHWISE_CONV2D TRANSPOSE_CONV2D MATMUL AVG_POOL2D REDUCE_SUM FFT2D RFFT2D",
     "tosa_reference_check_dotproduct.tosac",
     "ksb counts one more rounding if there is a non-zero bias. But the absolute values of input, "
     "weight and bias have been raised to normal_min<in_t> before, so that it always does, and a "
     "bound is never zero.",
     "As written: ksb always counts one for the bias, for operators without bias too, and the "
     "bound is made of raised values. This is the wider bound.",
     "Nothing narrower is stated.",
     "Its generator counts one if the bias has data other than zeros, and none for operators "
     "without bias. Bounds are dot products of the absolute values as they are.",
     kJudged},
    {"fourier-coefficients", "FFT2D RFFT2D", "FFT2D.tosac, RFFT2D.tosac",
     "The angle is an in_out_t: who calculates it in fp32, as it is written, has coefficients that "
     "are off by up to 1.6e-6; the reference, in fp64, has up to 1e-15 where a table has zeros. If "
     "local_bound is true, the bound is made of the coefficients, and where they are small "
     "excludes both, if inputs differ by a factor of 1e7 or more. An infinite input becomes an "
     "infinity there, of whatever sign the error has, and NaN if the coefficient is zero.",
     "A coefficient may be off by 2^-19: the bound is wider by as much of the sum of the "
     "magnitudes of all inputs, and what comes of an infinite input that meets one so small is "
     "not judged. The bounds on the errors of a tensor are wider by what the errors of fp32 "
     "coefficients can add up to. The error of a coefficient is the same wherever its angle "
     "occurs, and the angle 0 has none.",
     "Who follows the pseudocode to the letter is not to be blamed, nor who is more exact than the "
     "reference.",
     "It calculates angles in fp32, and misses the bound as written.", kJudged},
    {"zero-coefficients", "FFT2D RFFT2D RESIZE",
     "FFT2D.tosac, RFFT2D.tosac, RESIZE.tosac; tosa_reference_check_dotproduct.tosac",
     "The pseudocode multiplies elements by coefficients that are zero: sin(0), or the weight of a "
     "neighbour of the sample. A fast transform and a copy do not multiply. No data set of the "
     "checks has a NaN or an infinity.",
     "The pseudocode decides: a NaN times zero is NaN, and so is an infinity in RESIZE. Where the "
     "reference is NaN, the result has to be NaN. RFFT2D leaves out the products that its "
     "pseudocode leaves out. An infinity in a transform is as in `fourier-coefficients`.",
     "Both checks say that the result must be NaN where the reference is, and the reference has "
     "the order of the pseudocode. Products that an implementation may leave out have a condition "
     "there, tosa_extra_multiplies, and these have none.",
     "Not checked.", kJudged},
    {"rfft-imaginary-zeros", "RFFT2D", "chapters/tensor_ops.adoc, RFFT2D; RFFT2D.tosac",
     "An implementation may skip the imaginary values at (0,0), (0,W/2), (H/2,0) and (H/2,W/2), "
     "which are then zero. The pseudocode always skips them, and in other values the angles that "
     "have no sine. By the pseudocode alone the bound of the four values is zero.",
     "A value without a sine may also be calculated, with coefficients as near as those of "
     "`fourier-coefficients`.",
     "The text says that an implementation may choose.",
     "It multiplies every value by its sine. Its verifier judges the four values as all others.",
     kJudged},
    {"accumulator-bits", "CONV2D CONV3D DEPTHWISE_CONV2D TRANSPOSE_CONV2D AVG_POOL2D",
     "tosa_reference_check_dotproduct.tosac",
     "Half the difference of the fraction bits of accumulator and output is 6.5 for fp32 and fp16, "
     "and 3.5 for fp16 and fp8e4m3, or 6 and 3 if the division is one of integers.",
     "The division is one of integers, here 6 and 3, which is the wider bound.",
     "Both operands are of type int.", "Its generator divides real numbers: 2^6.5.", kJudged},
    {"variance-bound",
     "CONV2D CONV3D DEPTHWISE_CONV2D TRANSPOSE_CONV2D MATMUL AVG_POOL2D REDUCE_SUM FFT2D RFFT2D",
     "chapters/introduction.adoc, Dot product accuracy requirements",
     "The sum of squares has to be less than VARIANCE_ERROR_BOUND in the text, and at most that "
     "times the number of outputs in the code.",
     "At most VARIANCE_ERROR_BOUND times the number of outputs, as in the code.",
     "The bound is meant per output.", "As in the code.", kJudged},
    {"flushed-operands", "", "chapters/introduction.adoc, Floating-Point Precision Requirements",
     "Subnormal operands may be flushed, but references are calculated without: RECIPROCAL, LOG, "
     "comparisons and casts to bool have two right answers for them, and the check accepts one. "
     "ARGMAX and REDUCE_SUM lack the sentence that allows it.",
     "A result is right if it is right for the operands as they are or for all of them flushed, "
     "per type. This goes for every operator, as the number formats give the permission, too.",
     "The permission to flush would otherwise be none.",
     "It does not flush. Its verifier admits a zero where the reference less its bound is below "
     "normal_min, and takes operands as they are.",
     kJudged},
    {"operator-sequence", "", "chapters/introduction.adoc, Operator sequence precision requirement",
     "A sequence of operators may hand on its intermediate results in types of higher precision; "
     "each has to be accurate once it is rounded. What an operator then reads may be any number "
     "that rounds to a right result.",
     "An operator reads, of a result that had to be rounded, any real number that rounds to an "
     "accepted value: the accepted numbers, half a unit in the last place wider at each end. What "
     "its own rule admits for any of them is accepted. That includes casts, in whichever direction "
     "they round, and results that overflow. Results that needed no rounding are known. Selections "
     "and copies carry sets along.",
     "An fp16 sum that is kept in fp32 is not wrong.",
     "It rounds every result to its type. Its generator makes single operators only.", kJudged},
    {"flush-all-or-none", "", "chapters/introduction.adoc, Floating-Point Precision Requirements",
     "Of a type whose subnormal values may be flushed, either all are flushed or none, while each "
     "operator has a permission of its own, and copies, selections and changes of sign need no "
     "arithmetic that could flush.",
     "A run in which one result of arithmetic of a type is subnormal, and another is a zero that "
     "only a flush explains, is not compliant. Nor is one in which one result is right only for "
     "subnormal operands (CEIL(2^-20) = 1, 2^-20 > 0, 2^-20 * 2^10 = 2^-10), and another only for "
     "flushed ones. Flushed results beside kept operands are accepted. Results that are only "
     "moved, selected or given another sign do not count.",
     "The sentence is there to be tested, and machines flush in their arithmetic. An operand may "
     "be "
     "read in a wider type, in which it is not subnormal.",
     "Not checked.", kJudged},
    {"zero-sign", "", "tosa_reference_check.tosac",
     "Tables and rules ask for zeros of a certain sign, the check functions do not see it.",
     "The sign of a zero is not judged, in copied data neither. What RECIPROCAL and RSQRT make of "
     "a zero whose sign is open is not judged.",
     "Exact match is defined by tosa_reference_check_fp with 0 ULP.",
     "Its verifier does not see it either, but for the sign that FP_SPECIAL compares.", kJudged},
    {"copied-floats",
     "CONST IDENTITY CLAMP MAX_POOL2D CONCAT PAD RESHAPE REVERSE SLICE TILE TRANSPOSE GATHER "
     "SCATTER",
     "chapters/data_nodes.adoc and others; Supported Number Formats",
     "Copies have to be exact, the number formats allow to flush subnormals, and some operators "
     "allow to flush without saying that all else is exact.",
     "Copies are exact, but a subnormal bf16, fp16 or fp32 may come out as zero, and any NaN as "
     "any NaN.",
     "The permission is given with the format.",
     "It copies the bits of the values. Its verifier compares by EXACT, which admits zeros for "
     "subnormal values and any NaN for a NaN.",
     kJudged},
    {"wide-trigonometric-bounds", "SIN COS", "chapters/ewise_unary.adoc",
     "The bound grows with |x|. Beyond about 4000 (fp32), 63 (fp16) or 15 (bf16) every value from "
     "-1 to 1 passes.",
     "As written. Generators prefer operands where the bound decides something.",
     "Nothing narrower is stated.", "As written.", kJudged},
    {"product-order", "REDUCE_PRODUCT", "REDUCE_PRODUCT.tosac",
     "The order of the factors is that of the pseudocode for the reference, and free for an "
     "implementation: another order can overflow or underflow on the way.",
     "Vectors keep every partial product, in any order, within the range of normal numbers.",
     "Neither answer is excluded.",
     "The order is that of the library that it uses, in fp32 for all types; its fp16 results can "
     "miss its own bound.",
     kAvoided},
    {"pow-undefined", "POW", "chapters/ewise_binary.adoc, POW",
     "The text calls some results undefined, a word that is not one of the three graph results.",
     "Unpredictable, as the four REQUIREs say. Generators keep to positive bases, or zeros with "
     "positive exponents.",
     "They list the same cases.", "Unpredictable.", kAvoided},
    {"precision-type", "ADD SUB MUL CEIL FLOOR ERF RECIPROCAL RSQRT POW RESIZE",
     "Precision Requirements of these operators",
     "The checks are instantiated for in_t, T or in_out_t, which these operators do not have.",
     "The type of the output.", "It is the output that is checked.", "The type of the output.",
     kJudged},
    {"test-set-order",
     "CONV2D CONV3D DEPTHWISE_CONV2D TRANSPOSE_CONV2D MATMUL AVG_POOL2D REDUCE_SUM FFT2D RFFT2D",
     "chapters/appendix_a.adoc",
     "Sets 2 and 3 have to be reordered if an implementation sums in another order, set 0 does not "
     "reach its aim of zero products, as input and weight are zero at different places, and in "
     "what precision data are calculated is not said. The call for the bias lacks the argument k.",
     "Data of the sets are calculated in fp64, rounded once, and not reordered. The error sum is "
     "checked for data of sets 3 to 5 only.",
     "A vector cannot know the order of a backend.",
     "It calculates data in fp32, and does not reorder them. Set 5 divides by sqrt(KS + 1), where "
     "the text says sqrt(KS).",
     kJudged},
    {"test-set-results",
     "CONV2D CONV3D DEPTHWISE_CONV2D TRANSPOSE_CONV2D MATMUL AVG_POOL2D REDUCE_SUM FFT2D RFFT2D",
     "chapters/appendix_a.adoc, Floating-Point Operator Test Data",
     "The errors of a tensor mean something from MIN_DOT_PRODUCTS results on. RFFT2D counts N*H*W, "
     "more than it has, REDUCE_SUM the size of `shape`, which may be either operand, and the index "
     "k of AVG_POOL2D and the imaginary part of FFT2D go beyond what they index. CONV3D counts to "
     "UD, the transforms use IW, h and w, and their coefficients ignore `inverse`.",
     "Tensors of fewer than 1000 elements are judged element by element alone; an output is one "
     "population, the two of a transform are two. Indices are calculated as written, with W for IW "
     "and ID for UD; coefficients are those of the pseudocode.",
     "The check counts the elements of the output.",
     "Its generator drops sets for tensors of fewer than 1000 results. Its verifier judges each "
     "output by itself, whatever its size.",
     kJudged},
    {"recorded-compliance", "",
     "chapters/introduction.adoc, Floating-Point Precision Requirements; the verifier beside Arm's "
     "reference model",
     "Arm's test directories name modes of comparison that are not all of the text. FP_SPECIAL "
     "compares signs, infinities and NaN alone; RELATIVE (RESIZE) admits some ULP beside 0.006 of "
     "the maximum, by the result, not the maximum; ksb of DOT_PRODUCT has no term for a bias of "
     "zeros, and its half of a difference of bits is no integer; an infinite bound admits all.",
     "Recorded results are judged by their mode, our own expectation by the text, and both "
     "verdicts are shown. Only where the recorded reference is infinite or NaN, it is demanded in "
     "every mode but DOT_PRODUCT.",
     "A directory is to mean what its author meant; see bias-term, accumulator-bits and "
     "infinite-bound for what the text means.",
     "These are its modes. It writes what they need into desc.json.", kJudged},
};

// Returns true if a list of words separated by spaces contains a word.
bool ContainsWord(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    const size_t end = words.find(' ');
    if (words.substr(0, end) == wanted) return true;
    words = end == std::string_view::npos ? std::string_view() : words.substr(end + 1);
  }
  return false;
}

}  // namespace

std::span<const Reading> AllReadings() { return kReadings; }

const Reading* FindReading(std::string_view id) { return FindRow(kReadings, &Reading::id, id); }

std::vector<const Reading*> ReadingsOf(Op op) {
  std::vector<const Reading*> found;
  for (const Reading& reading : kReadings) {
    if (ContainsWord(reading.operators, OperatorName(op))) found.push_back(&reading);
  }
  return found;
}

std::string ReadingsAsMarkdown() {
  std::string text =
      "# Readings\n\n"
      "Where the text of TOSA 1.0.2 is ambiguous, contradicts itself or cannot be meant, this is "
      "what Assay\ntakes it to mean. A vector whose expectation hangs on a reading carries its "
      "name as a tag. Where a\nreading is *avoided*, no verdict hangs on it. What Arm's reference "
      "model does is that of June 2025,\nwith its verifier and its generator of tests; \"the "
      "same\" "
      "is what is taken here.\n\n"
      "Made by `assay spec --readings` from `src/tosa/readings.cc`; paths are those of the "
      "specification's\nrepository at tag v1.0.2.\n";
  for (const Reading& reading : kReadings) {
    text += "\n## " + std::string(reading.id) + (reading.judged ? "\n\n" : " (avoided)\n\n");
    text += "- Where: " + std::string(reading.where) + "\n";
    if (!reading.operators.empty()) {
      text += "- Operators: " + std::string(reading.operators) + "\n";
    }
    text += "- The text: " + std::string(reading.says) + "\n";
    text += "- Taken: " + std::string(reading.taken) + "\n";
    text += "- Because: " + std::string(reading.why) + "\n";
    text += "- Arm's model: " + std::string(reading.model) + "\n";
  }
  return text;
}

}  // namespace assay
