; The constructor that tells the runtime of the module's variables. What it calls is added when these are known.

@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @yester.symbolic.register, ptr null }]

define hidden void @yester.symbolic.register() nounwind {
  ret void
}
