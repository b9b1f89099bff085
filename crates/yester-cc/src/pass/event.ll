; What writes events, and what tells the runtime of the module. Each module gets its own copies, which are inlined.
; The first two words of the thread's block are the cursor and its limit; behind the limit there is room for 8 bytes more.
; Each event is stored together with the byte 255 that ends the stream, and before the cursor moves.

@yester.first = hidden global i32 -2147483648
@yester.module = external hidden constant [40 x i8]
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @yester.register, ptr null }]

define hidden void @yester.register(i32 %count, ptr %arguments, ptr %environment) nounwind {
  call void @__yester_module(ptr @yester.module, i32 %count, ptr %arguments, ptr %environment)
  ret void
}

define hidden ptr @yester.place() alwaysinline nounwind {
  %thread = call ptr @llvm.threadlocal.address.p0(ptr @__yester_thread)
  %cursor = load ptr, ptr %thread, align 16
  %at.limit = getelementptr i8, ptr %thread, i64 8
  %limit = load ptr, ptr %at.limit, align 8
  %room = icmp ult ptr %cursor, %limit
  br i1 %room, label %done, label %full, !prof !0
full:
  call preserve_mostcc void @__yester_room() cold nounwind
  %new = load ptr, ptr %thread, align 16
  br label %done
done:
  %place = phi ptr [ %cursor, %0 ], [ %new, %full ]
  ret ptr %place
}

define hidden void @yester.advance(ptr %place, i64 %bytes) alwaysinline nounwind {
  %thread = call ptr @llvm.threadlocal.address.p0(ptr @__yester_thread)
  %next = getelementptr i8, ptr %place, i64 %bytes
  store ptr %next, ptr %thread, align 16
  ret void
}

; A code below 240, a return (249) or an abort (253).
define hidden void @yester.byte(i32 %code) alwaysinline nounwind {
  %place = call ptr @yester.place()
  %narrow = trunc i32 %code to i16
  %event = or i16 %narrow, -256
  store i16 %event, ptr %place, align 1
  call void @yester.advance(ptr %place, i64 1)
  ret void
}

define hidden void @yester.wide(i32 %code) alwaysinline nounwind {
  %place = call ptr @yester.place()
  %high = shl i32 %code, 8
  %event = or i32 %high, 4278190320
  store i32 %event, ptr %place, align 1
  call void @yester.advance(ptr %place, i64 3)
  ret void
}

define hidden void @yester.five(i64 %first, i32 %number) alwaysinline nounwind {
  %place = call ptr @yester.place()
  %long = zext i32 %number to i64
  %high = shl i64 %long, 8
  %number.event = or i64 %high, %first
  %event = or i64 %number.event, 280375465082880
  store i64 %event, ptr %place, align 1
  call void @yester.advance(ptr %place, i64 5)
  ret void
}

define hidden void @yester.wider(i32 %code) alwaysinline nounwind {
  call void @yester.five(i64 241, i32 %code)
  ret void
}

define hidden void @yester.enter(ptr %at.first, i32 %local) alwaysinline nounwind {
  %first = load i32, ptr %at.first, align 4
  %number = add i32 %first, %local
  call void @yester.five(i64 248, i32 %number)
  ret void
}

; In a function that may handle signals, before it is entered: an event that was written, but not yet passed by the cursor, is
; passed now, or it would be written over and the cursor would then be in the middle of an event.
define hidden void @yester.interrupt() alwaysinline nounwind {
  %place = call ptr @yester.place()
  %first = load i8, ptr %place, align 1
  %none = icmp eq i8 %first, -1
  br i1 %none, label %done, label %written, !prof !0
written:
  call void @__yester_written() cold nounwind
  br label %done
done:
  ret void
}

define hidden i32 @yester.frame() alwaysinline nounwind {
  %serial = call i32 @__yester_serial()
  call void @yester.five(i64 250, i32 %serial)
  ret i32 %serial
}

define hidden void @yester.land(i32 %serial) alwaysinline nounwind {
  call void @yester.five(i64 251, i32 %serial)
  ret void
}

; Behind setjmp: only its second return is a landing.
define hidden void @yester.jumped(i32 %serial, i32 %result) alwaysinline nounwind {
  %first = icmp eq i32 %result, 0
  br i1 %first, label %done, label %again
again:
  call void @yester.land(i32 %serial)
  br label %done
done:
  ret void
}

define hidden i64 @yester.mark() alwaysinline nounwind {
  %mark = call i64 @__yester_mark()
  ret i64 %mark
}

; Behind vfork: the child has written into its parent's stream, which the parent takes back.
define hidden void @yester.vforked(i64 %mark, i32 %serial, i32 %result) alwaysinline nounwind {
  %child = icmp eq i32 %result, 0
  br i1 %child, label %done, label %parent
parent:
  call void @__yester_back(i64 %mark)
  call void @yester.land(i32 %serial)
  br label %done
done:
  ret void
}

define hidden void @yester.exit(i32 %status) alwaysinline nounwind {
  %place = call ptr @yester.place()
  %low = and i32 %status, 255
  %high = shl i32 %low, 8
  %event = or i32 %high, 16711932
  store i32 %event, ptr %place, align 1
  call void @yester.advance(ptr %place, i64 2)
  ret void
}

!0 = !{!"branch_weights", i32 1000000, i32 1}
