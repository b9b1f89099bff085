; What instrumented code does beside each instruction: as good as nothing unless something depends on the input. Each module
; gets its own copies, which are inlined.
; The layout of __yester_call: callee i64, returned i64, results [4 x i32], parameters [64 x i32], originals [64 x i64].

@__yester_call = external thread_local(initialexec) global [100 x i64], align 16
@__yester_filter = external global [65536 x i8], align 16

declare i32 @__yester_binary(i32, i32, i64, i32, i64, i64) cold nounwind
declare i32 @__yester_compare(i32, i32, i64, i32, i64, i64) cold nounwind
declare i32 @__yester_overflow(i32, i32, i64, i32, i64, i64) cold nounwind
declare i32 @__yester_intrinsic(i32, i32, i64, i32, i64, i64) cold nounwind
declare i32 @__yester_funnel(i32, i32, i64, i32, i64, i32, i64, i64) cold nounwind
declare i32 @__yester_cast(i32, i32, i32, i64) cold nounwind
declare i32 @__yester_select(i32, i32, i64, i32, i64, i32, i64) cold nounwind
declare i32 @__yester_element(i32, i64, i32, i64, i32, i64) cold nounwind
declare i32 @__yester_load(i64, i64, i64, i32, i64, i64) cold nounwind
declare void @__yester_store(i64, i64, i32, i32) cold nounwind
declare void @__yester_branch(i32, i32) cold nounwind
declare void @__yester_switch(i32, i64, ptr, i64) cold nounwind
declare void @__yester_copy(i64, i64, i64) nounwind
declare void @__yester_fill(i64, i32, i64) nounwind
declare void @__yester_concretise(i32, ptr) cold nounwind
declare void @__yester_concretise_memory(i64, i64, ptr) cold nounwind
declare i32 @__yester_parameter(i32, i64, i32) cold nounwind
declare void @__yester_parameter_copy(i32, i64, i64, i64) cold nounwind
declare i32 @__yester_result(i32, i64, i64, i32) cold nounwind
declare void @__yester_after_call(i64, ptr, ptr, i64) cold nounwind
declare void @__yester_variadic(i64, ptr) nounwind
declare void @__yester_list(ptr, ptr, i64) nounwind
declare void @__yester_objects(ptr, i64) nounwind
declare void @__yester_symbolic_arguments(i32, ptr) nounwind
declare void @__yester_allocated(i64, i64) nounwind
declare void @__yester_freed(i64) nounwind
declare void @__yester_observed(i32, ptr, ptr, ptr) cold nounwind
declare void @__yester_unread(i32, i64, ptr) nounwind
declare void @__yester_printed(i32, ptr, i64, ptr, ptr, i64, i32) nounwind
declare void @__yester_prints(i32, ptr, ptr, i64, ptr, ptr) nounwind

@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @yester.symbolic.register, ptr null }]

define hidden void @yester.symbolic.register() nounwind {
  ret void
}

declare i32 @__yester_scan(i32, ptr, ptr, ptr, i64)

define hidden i32 @yester.scan(i32 %kind, ptr %source, ptr %format, ptr %pointers, i64 %count) alwaysinline {
  %result = call i32 @__yester_scan(i32 %kind, ptr %source, ptr %format, ptr %pointers, i64 %count)
  ret i32 %result
}

define hidden i32 @yester.binary(i32 %kind, i32 %ln, i64 %l, i32 %rn, i64 %r, i64 %result) alwaysinline nounwind {
  %any = or i32 %ln, %rn
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_binary(i32 %kind, i32 %ln, i64 %l, i32 %rn, i64 %r, i64 %result)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden i32 @yester.compare(i32 %kind, i32 %ln, i64 %l, i32 %rn, i64 %r, i64 %result) alwaysinline nounwind {
  %any = or i32 %ln, %rn
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_compare(i32 %kind, i32 %ln, i64 %l, i32 %rn, i64 %r, i64 %result)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden i32 @yester.overflow(i32 %kind, i32 %ln, i64 %l, i32 %rn, i64 %r, i64 %result) alwaysinline nounwind {
  %any = or i32 %ln, %rn
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_overflow(i32 %kind, i32 %ln, i64 %l, i32 %rn, i64 %r, i64 %result)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden i32 @yester.intrinsic(i32 %kind, i32 %ln, i64 %l, i32 %rn, i64 %r, i64 %result) alwaysinline nounwind {
  %any = or i32 %ln, %rn
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_intrinsic(i32 %kind, i32 %ln, i64 %l, i32 %rn, i64 %r, i64 %result)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden i32 @yester.funnel(i32 %kind, i32 %hn, i64 %h, i32 %ln, i64 %l, i32 %an, i64 %a, i64 %result) alwaysinline nounwind {
  %two = or i32 %hn, %ln
  %any = or i32 %two, %an
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_funnel(i32 %kind, i32 %hn, i64 %h, i32 %ln, i64 %l, i32 %an, i64 %a, i64 %result)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden i32 @yester.cast(i32 %kind, i32 %n, i32 %width, i64 %result) alwaysinline nounwind {
  %none = icmp eq i32 %n, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_cast(i32 %kind, i32 %n, i32 %width, i64 %result)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden i32 @yester.select(i32 %cn, i32 %an, i64 %a, i32 %bn, i64 %b, i32 %width, i64 %result, i32 %plain) alwaysinline nounwind {
  %none = icmp eq i32 %cn, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_select(i32 %cn, i32 %an, i64 %a, i32 %bn, i64 %b, i32 %width, i64 %result)
  br label %done
done:
  %node = phi i32 [ %plain, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden i32 @yester.element(i32 %bn, i64 %b, i32 %in, i64 %i, i32 %width, i64 %scale) alwaysinline nounwind {
  %any = or i32 %bn, %in
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_element(i32 %bn, i64 %b, i32 %in, i64 %i, i32 %width, i64 %scale)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden i32 @yester.filter(i64 %address) alwaysinline nounwind {
  %page = lshr i64 %address, 12
  %index = and i64 %page, 65535
  %place = getelementptr inbounds [65536 x i8], ptr @__yester_filter, i64 0, i64 %index
  %found = load i8, ptr %place, align 1
  %wide = zext i8 %found to i32
  ret i32 %wide
}

define hidden i32 @yester.load(i64 %address, i64 %size, i64 %value, i32 %pn, i64 %object, i64 %bytes) alwaysinline nounwind {
  %found = call i32 @yester.filter(i64 %address)
  %any = or i32 %found, %pn
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %made = call i32 @__yester_load(i64 %address, i64 %size, i64 %value, i32 %pn, i64 %object, i64 %bytes)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden void @yester.store(i64 %address, i64 %size, i32 %n, i32 %pn) alwaysinline nounwind {
  %found = call i32 @yester.filter(i64 %address)
  %two = or i32 %n, %pn
  %any = or i32 %found, %two
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  call void @__yester_store(i64 %address, i64 %size, i32 %n, i32 %pn)
  br label %done
done:
  ret void
}

define hidden void @yester.opaque(i64 %address, i64 %size, ptr %what) alwaysinline nounwind {
  %found = call i32 @yester.filter(i64 %address)
  %none = icmp eq i32 %found, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  call void @__yester_concretise_memory(i64 %address, i64 %size, ptr %what)
  br label %done
done:
  ret void
}

define hidden void @yester.observed(i32 %n, ptr %first, ptr %second, ptr %name) alwaysinline nounwind {
  %one = ptrtoint ptr %first to i64
  %other = ptrtoint ptr %second to i64
  %in.one = call i32 @yester.filter(i64 %one)
  %in.other = call i32 @yester.filter(i64 %other)
  %texts = or i32 %in.one, %in.other
  %any = or i32 %texts, %n
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  call void @__yester_observed(i32 %n, ptr %first, ptr %second, ptr %name)
  br label %done
done:
  ret void
}

define hidden void @yester.branch(i32 %n, i32 %taken) alwaysinline nounwind {
  %none = icmp eq i32 %n, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  call void @__yester_branch(i32 %n, i32 %taken)
  br label %done
done:
  ret void
}

define hidden void @yester.switch(i32 %n, i64 %value, ptr %cases, i64 %count) alwaysinline nounwind {
  %none = icmp eq i32 %n, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  call void @__yester_switch(i32 %n, i64 %value, ptr %cases, i64 %count)
  br label %done
done:
  ret void
}

define hidden void @yester.concretise(i32 %n, ptr %what) alwaysinline nounwind {
  %none = icmp eq i32 %n, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  call void @__yester_concretise(i32 %n, ptr %what)
  br label %done
done:
  ret void
}

; A copy of no more than a page.
define hidden void @yester.copy(i64 %to, i64 %from, i64 %size) alwaysinline nounwind {
  %one = call i32 @yester.filter(i64 %to)
  %other = call i32 @yester.filter(i64 %from)
  %any = or i32 %one, %other
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  call void @__yester_copy(i64 %to, i64 %from, i64 %size)
  br label %done
done:
  ret void
}

define hidden i1 @yester.entered(ptr %function) alwaysinline nounwind {
  %call = call ptr @llvm.threadlocal.address.p0(ptr @__yester_call)
  %callee = load i64, ptr %call, align 16
  %own = ptrtoint ptr %function to i64
  %meant = icmp eq i64 %callee, %own
  ret i1 %meant
}

define hidden i32 @yester.parameter(i1 %meant, i32 %index, i64 %value, i32 %width) alwaysinline nounwind {
  br i1 %meant, label %slow, label %done, !prof !1
slow:
  %made = call i32 @__yester_parameter(i32 %index, i64 %value, i32 %width)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden void @yester.parameter.copy(i1 %meant, i32 %index, ptr %function, i64 %place, i64 %size) alwaysinline nounwind {
  %found = call i32 @yester.filter(i64 %place)
  %maybe = icmp ne i32 %found, 0
  %any = or i1 %meant, %maybe
  br i1 %any, label %slow, label %done, !prof !1
slow:
  %own = ptrtoint ptr %function to i64
  call void @__yester_parameter_copy(i32 %index, i64 %own, i64 %place, i64 %size)
  br label %done
done:
  ret void
}

; The parameters were taken.
define hidden void @yester.taken(i1 %meant) alwaysinline nounwind {
  br i1 %meant, label %slow, label %done, !prof !1
slow:
  %call = call ptr @llvm.threadlocal.address.p0(ptr @__yester_call)
  store i64 0, ptr %call, align 16
  br label %done
done:
  ret void
}

define hidden void @yester.original(i64 %index, i64 %place) alwaysinline nounwind {
  %call = call ptr @llvm.threadlocal.address.p0(ptr @__yester_call)
  %word = add i64 %index, 36
  %at = getelementptr [100 x i64], ptr %call, i64 0, i64 %word
  store i64 %place, ptr %at, align 8
  ret void
}

define hidden void @yester.no.result() alwaysinline nounwind {
  %call = call ptr @llvm.threadlocal.address.p0(ptr @__yester_call)
  %at = getelementptr i8, ptr %call, i64 16
  store i32 0, ptr %at, align 16
  ret void
}

define hidden i32 @yester.result(i32 %index, ptr %function, i64 %value, i32 %width) alwaysinline nounwind {
  %call = call ptr @llvm.threadlocal.address.p0(ptr @__yester_call)
  %wide = zext i32 %index to i64
  %word = add i64 %wide, 4
  %at = getelementptr [200 x i32], ptr %call, i64 0, i64 %word
  %given = load i32, ptr %at, align 4
  %none = icmp eq i32 %given, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %own = ptrtoint ptr %function to i64
  %made = call i32 @__yester_result(i32 %index, i64 %own, i64 %value, i32 %width)
  br label %done
done:
  %node = phi i32 [ 0, %0 ], [ %made, %slow ]
  ret i32 %node
}

define hidden void @yester.return(i32 %index, i32 %n, ptr %function) alwaysinline nounwind {
  %call = call ptr @llvm.threadlocal.address.p0(ptr @__yester_call)
  %wide = zext i32 %index to i64
  %word = add i64 %wide, 4
  %at = getelementptr [200 x i32], ptr %call, i64 0, i64 %word
  store i32 %n, ptr %at, align 4
  %none = icmp eq i32 %n, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %own = ptrtoint ptr %function to i64
  %returned = getelementptr i8, ptr %call, i64 8
  store i64 %own, ptr %returned, align 8
  br label %done
done:
  ret void
}

; The runtime as it is: what is only declared is not there when it is asked for by its name.
define hidden void @yester.call.symbolic.arguments(i32 %a0, ptr %a1) alwaysinline nounwind {
  call void @__yester_symbolic_arguments(i32 %a0, ptr %a1)
  ret void
}

define hidden void @yester.call.variadic(i64 %a0, ptr %a1) alwaysinline nounwind {
  call void @__yester_variadic(i64 %a0, ptr %a1)
  ret void
}

define hidden void @yester.call.list(ptr %a0, ptr %a1, i64 %a2) alwaysinline nounwind {
  call void @__yester_list(ptr %a0, ptr %a1, i64 %a2)
  ret void
}

define hidden void @yester.call.objects(ptr %a0, i64 %a1) alwaysinline nounwind {
  call void @__yester_objects(ptr %a0, i64 %a1)
  ret void
}

define hidden void @yester.call.allocated(i64 %a0, i64 %a1) alwaysinline nounwind {
  call void @__yester_allocated(i64 %a0, i64 %a1)
  ret void
}

define hidden void @yester.call.unread(i32 %a0, i64 %a1, ptr %a2) alwaysinline nounwind {
  call void @__yester_unread(i32 %a0, i64 %a1, ptr %a2)
  ret void
}

define hidden void @yester.call.printed(i32 %a0, ptr %a1, i64 %a2, ptr %a3, ptr %a4, i64 %a5, i32 %a6) alwaysinline nounwind {
  call void @__yester_printed(i32 %a0, ptr %a1, i64 %a2, ptr %a3, ptr %a4, i64 %a5, i32 %a6)
  ret void
}

define hidden void @yester.call.prints(i32 %a0, ptr %a1, ptr %a2, i64 %a3, ptr %a4, ptr %a5) alwaysinline nounwind {
  call void @__yester_prints(i32 %a0, ptr %a1, ptr %a2, i64 %a3, ptr %a4, ptr %a5)
  ret void
}

define hidden void @yester.call.copy(i64 %a0, i64 %a1, i64 %a2) alwaysinline nounwind {
  call void @__yester_copy(i64 %a0, i64 %a1, i64 %a2)
  ret void
}

define hidden void @yester.call.fill(i64 %a0, i32 %a1, i64 %a2) alwaysinline nounwind {
  call void @__yester_fill(i64 %a0, i32 %a1, i64 %a2)
  ret void
}

declare ptr @llvm.threadlocal.address.p0(ptr)

!0 = !{!"branch_weights", i32 1048576, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1048576}
