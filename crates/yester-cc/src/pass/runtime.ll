; All that instrumented code knows of the runtime: the one list of its functions and variables. A test compares it with what the runtime
; exports. Models of library functions are not here: each has the type of the function that it stands for.

declare ptr @llvm.threadlocal.address.p0(ptr)

; Events. The runtime writes the frequent ones itself if values are followed.
@__yester_thread = external thread_local(initialexec) global [8 x i64], align 16
declare preserve_mostcc void @__yester_room() cold nounwind
declare void @__yester_written() cold nounwind
declare i32 @__yester_serial() nounwind
declare i64 @__yester_mark() nounwind
declare void @__yester_back(i64) nounwind
declare void @__yester_module(ptr, i32, ptr, ptr) nounwind
declare void @__yester_event_byte(i32)
declare void @__yester_event_wide(i32)
declare void @__yester_event_wider(i32)
declare void @__yester_event_enter(i32)

; Values.
declare void @__yester_value(i32, i32, i64)
declare void @__yester_value_node(i32, i32, i32) nounwind

; Symbolic values. Hooks are called only if something depends on the input.
; The layout of __yester_call: callee i64, returned i64, results [4 x i32], parameters [64 x i32], originals [64 x i64], place i32, class i32, …, outer i64.
@__yester_call = external thread_local(initialexec) global [119 x i64], align 16
@__yester_filter = external global [65536 x i8], align 16
declare i32 @__yester_binary(i32, i32, i64, i32, i64, i64) nounwind
declare i32 @__yester_compare(i32, i32, i64, i32, i64, i64) nounwind
declare i32 @__yester_overflow(i32, i32, i64, i32, i64, i64) nounwind
declare i32 @__yester_intrinsic(i32, i32, i64, i32, i64, i64) nounwind
declare i32 @__yester_funnel(i32, i32, i64, i32, i64, i32, i64, i64) nounwind
declare i32 @__yester_float(i32, i32, i64, i32, i64, i64) nounwind
declare i32 @__yester_float_compare(i32, i32, i64, i32, i64, i64) nounwind
declare i32 @__yester_float_cast(i32, i32, i64) nounwind
declare i32 @__yester_float_class(i32, i32, i64) nounwind
declare i32 @__yester_multiply_add(i32, i32, i64, i32, i64, i32, i64, i64) nounwind
declare i32 @__yester_cast(i32, i32, i32, i64) nounwind
declare i32 @__yester_select(i32, i32, i64, i32, i64, i32, i64, i32) nounwind
declare i32 @__yester_element(i32, i64, i32, i64, i32, i64) nounwind
declare i32 @__yester_load(i64, i64, i64, i32, i64, i64) nounwind
declare void @__yester_store(i64, i64, i32, i32) nounwind
declare void @__yester_branch(i32, i32) nounwind
declare void @__yester_switch(i32, i64, ptr, i64) nounwind
declare void @__yester_copy(i64, i64, i64) nounwind
declare void @__yester_fill(i64, i32, i64) nounwind
declare void @__yester_concretise(i32, ptr) nounwind
declare void @__yester_concretise_memory(i64, i64, ptr) nounwind
declare i32 @__yester_parameter(i32, i32, i64, i32) nounwind
declare void @__yester_parameter_copy(i32, i32, i64, i64) nounwind
declare void @__yester_taken(i32) nounwind
declare i32 @__yester_pass(i64, i32, i32, i32, i64) nounwind
declare i32 @__yester_unknown(i64, i32) nounwind
declare i32 @__yester_argument(i32, i64, i64, i64, i32) nounwind
declare i32 @__yester_result(i32, i64, i64, i32) nounwind
declare void @__yester_given(i32, i32) nounwind
declare void @__yester_after_call(i32, ptr) nounwind
declare void @__yester_variadic(i64, ptr) nounwind
declare void @__yester_list(ptr, ptr, i64) nounwind
declare void @__yester_objects(ptr, i64) nounwind
declare void @__yester_symbolic_arguments(i32, ptr) nounwind
declare void @__yester_allocated(i64, i64) nounwind
declare void @__yester_observed(i32, ptr, ptr, ptr) nounwind
declare void @__yester_unread(i32, i64, ptr) nounwind
declare void @__yester_printed(i32, ptr, i64, ptr, ptr, i64, i32) nounwind
declare void @__yester_prints(i32, ptr, ptr, i64, ptr, ptr, i32, i64) nounwind
declare void @__yester_writes_character(i32, i32, ptr) nounwind
declare void @__yester_writes_text(ptr, ptr, i32) nounwind
declare void @__yester_writes_block(i64, i64, i64, ptr, i32, i32) nounwind
declare void @__yester_writes_word(i32, i32, ptr) nounwind
declare void @__yester_writes_error(ptr) nounwind
declare i32 @__yester_scan(i32, ptr, ptr, ptr, i64)

; Interventions.
@__yester_intervene_fuel = external global i64
declare i64 @__yester_intervene_value(ptr, i64) cold nounwind
declare i64 @__yester_intervene_store(ptr, i64, ptr, i32) cold nounwind
declare i64 @__yester_intervene_operator(ptr, i64, i64, i64) cold nounwind
declare ptr @__yester_intervene_call(ptr, ptr) cold nounwind
declare void @__yester_intervene_gap(ptr, i64, i64, i64, i64, i64, i64) cold nounwind
declare i64 @__yester_intervene_exit(ptr) cold nounwind
declare void @__yester_intervene_module(ptr, i32, ptr, ptr) nounwind
declare i64 @__yester_model_intervention(ptr, i64, i64)
