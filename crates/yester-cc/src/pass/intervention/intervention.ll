; What every place of a program built for interventions goes through. Each module gets its own copies, which are inlined.
; A place is a byte of the module's array. It is 0 unless the runtime wants to hear of the place.

@yester.armed = external hidden global [1 x i8]
@yester.intervention = external hidden constant [72 x i8]
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @yester.register, ptr null }]

define hidden void @yester.register(i32 %count, ptr %arguments, ptr %environment) nounwind {
  call void @__yester_intervene_module(ptr @yester.intervention, i32 %count, ptr %arguments, ptr %environment)
  ret void
}

; Branches also count: a run that takes too many has gone astray.
define hidden i1 @yester.branch(i64 %number, i1 %condition) alwaysinline nounwind {
  %fuel = load i64, ptr @__yester_intervene_fuel, align 8
  %left = sub i64 %fuel, 1
  store i64 %left, ptr @__yester_intervene_fuel, align 8
  %place = getelementptr i8, ptr @yester.armed, i64 %number
  %armed = load i8, ptr %place, align 1
  %wide.armed = zext i8 %armed to i64
  %empty = and i64 %left, -9223372036854775808
  %any = or i64 %empty, %wide.armed
  %calm = icmp eq i64 %any, 0
  br i1 %calm, label %done, label %asked, !prof !0
asked:
  %wide = zext i1 %condition to i64
  %new = call i64 @__yester_intervene_value(ptr %place, i64 %wide)
  %narrow = trunc i64 %new to i1
  br label %done
done:
  %result = phi i1 [ %condition, %0 ], [ %narrow, %asked ]
  ret i1 %result
}

define hidden i64 @yester.assigned(i64 %number, i64 %value) alwaysinline nounwind {
  %place = getelementptr i8, ptr @yester.armed, i64 %number
  %armed = load i8, ptr %place, align 1
  %calm = icmp eq i8 %armed, 0
  br i1 %calm, label %done, label %asked, !prof !0
asked:
  %new = call i64 @__yester_intervene_value(ptr %place, i64 %value)
  br label %done
done:
  %result = phi i64 [ %value, %0 ], [ %new, %asked ]
  ret i64 %result
}

define hidden i64 @yester.stored(i64 %number, i64 %value, ptr %address, i32 %bytes) alwaysinline nounwind {
  %place = getelementptr i8, ptr @yester.armed, i64 %number
  %armed = load i8, ptr %place, align 1
  %calm = icmp eq i8 %armed, 0
  br i1 %calm, label %done, label %asked, !prof !0
asked:
  %new = call i64 @__yester_intervene_store(ptr %place, i64 %value, ptr %address, i32 %bytes)
  br label %done
done:
  %result = phi i64 [ %value, %0 ], [ %new, %asked ]
  ret i64 %result
}

define hidden i64 @yester.computed(i64 %number, i64 %value, i64 %left, i64 %right) alwaysinline nounwind {
  %place = getelementptr i8, ptr @yester.armed, i64 %number
  %armed = load i8, ptr %place, align 1
  %calm = icmp eq i8 %armed, 0
  br i1 %calm, label %done, label %asked, !prof !0
asked:
  %new = call i64 @__yester_intervene_operator(ptr %place, i64 %value, i64 %left, i64 %right)
  br label %done
done:
  %result = phi i64 [ %value, %0 ], [ %new, %asked ]
  ret i64 %result
}

define hidden ptr @yester.called(i64 %number, ptr %function) alwaysinline nounwind {
  %place = getelementptr i8, ptr @yester.armed, i64 %number
  %armed = load i8, ptr %place, align 1
  %calm = icmp eq i8 %armed, 0
  br i1 %calm, label %done, label %asked, !prof !0
asked:
  %new = call ptr @__yester_intervene_call(ptr %place, ptr %function)
  br label %done
done:
  %result = phi ptr [ %function, %0 ], [ %new, %asked ]
  ret ptr %result
}

define hidden void @yester.gap(i64 %number, i64 %first, i64 %second, i64 %third, i64 %fourth, i64 %fifth, i64 %sixth) alwaysinline nounwind {
  %place = getelementptr i8, ptr @yester.armed, i64 %number
  %armed = load i8, ptr %place, align 1
  %calm = icmp eq i8 %armed, 0
  br i1 %calm, label %done, label %asked, !prof !0
asked:
  call void @__yester_intervene_gap(ptr %place, i64 %first, i64 %second, i64 %third, i64 %fourth, i64 %fifth, i64 %sixth)
  br label %done
done:
  ret void
}

define hidden i64 @yester.exit(i64 %number) alwaysinline nounwind {
  %place = getelementptr i8, ptr @yester.armed, i64 %number
  %armed = load i8, ptr %place, align 1
  %calm = icmp eq i8 %armed, 0
  br i1 %calm, label %done, label %asked, !prof !0
asked:
  %new = call i64 @__yester_intervene_exit(ptr %place)
  br label %done
done:
  %result = phi i64 [ 0, %0 ], [ %new, %asked ]
  ret i64 %result
}

!0 = !{!"branch_weights", i32 1000000, i32 1}
