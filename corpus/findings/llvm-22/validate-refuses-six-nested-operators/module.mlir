module {
  func.func @main(%arg0: tensor<1x2xi16>, %arg1: tensor<4xi16>, %arg2: tensor<i1>) -> tensor<1x2xi16> {
    %0 = tosa.cond_if %arg2 (%arg3 = %arg0, %arg4 = %arg1) : tensor<i1> (tensor<1x2xi16>, tensor<4xi16>) -> tensor<1x2xi16> {
    ^bb0(%arg3: tensor<1x2xi16>, %arg4: tensor<4xi16>):
      %1 = "tosa.const"() <{values = dense<true> : tensor<i1>}> : () -> tensor<i1>
      %2 = tosa.cond_if %1 (%arg5 = %arg3, %arg6 = %arg4) : tensor<i1> (tensor<1x2xi16>, tensor<4xi16>) -> tensor<1x2xi16> {
      ^bb0(%arg5: tensor<1x2xi16>, %arg6: tensor<4xi16>):
        %3 = "tosa.const"() <{values = dense<true> : tensor<i1>}> : () -> tensor<i1>
        %4 = tosa.cond_if %3 (%arg7 = %arg5, %arg8 = %arg6) : tensor<i1> (tensor<1x2xi16>, tensor<4xi16>) -> tensor<1x2xi16> {
        ^bb0(%arg7: tensor<1x2xi16>, %arg8: tensor<4xi16>):
          %5 = "tosa.const"() <{values = dense<true> : tensor<i1>}> : () -> tensor<i1>
          %6 = tosa.cond_if %5 (%arg9 = %arg7, %arg10 = %arg8) : tensor<i1> (tensor<1x2xi16>, tensor<4xi16>) -> tensor<1x2xi16> {
          ^bb0(%arg9: tensor<1x2xi16>, %arg10: tensor<4xi16>):
            %7 = "tosa.const"() <{values = dense<true> : tensor<i1>}> : () -> tensor<i1>
            %8 = tosa.cond_if %7 (%arg11 = %arg9, %arg12 = %arg10) : tensor<i1> (tensor<1x2xi16>, tensor<4xi16>) -> tensor<1x2xi16> {
            ^bb0(%arg11: tensor<1x2xi16>, %arg12: tensor<4xi16>):
              %9 = "tosa.const"() <{values = dense<true> : tensor<i1>}> : () -> tensor<i1>
              %10 = tosa.cond_if %9 (%arg13 = %arg11, %arg14 = %arg12) : tensor<i1> (tensor<1x2xi16>, tensor<4xi16>) -> tensor<1x2xi16> {
              ^bb0(%arg13: tensor<1x2xi16>, %arg14: tensor<4xi16>):
                %11 = tosa.reverse %arg13 {axis = 0 : i32} : (tensor<1x2xi16>) -> tensor<1x2xi16>
                tosa.yield %11 : tensor<1x2xi16>
              } else {
              ^bb0(%arg13: tensor<1x2xi16>, %arg14: tensor<4xi16>):
                %11 = tosa.identity %arg13 : (tensor<1x2xi16>) -> tensor<1x2xi16>
                tosa.yield %11 : tensor<1x2xi16>
              }
              tosa.yield %10 : tensor<1x2xi16>
            } else {
            ^bb0(%arg11: tensor<1x2xi16>, %arg12: tensor<4xi16>):
              %9 = tosa.identity %arg11 : (tensor<1x2xi16>) -> tensor<1x2xi16>
              tosa.yield %9 : tensor<1x2xi16>
            }
            tosa.yield %8 : tensor<1x2xi16>
          } else {
          ^bb0(%arg9: tensor<1x2xi16>, %arg10: tensor<4xi16>):
            %7 = tosa.identity %arg9 : (tensor<1x2xi16>) -> tensor<1x2xi16>
            tosa.yield %7 : tensor<1x2xi16>
          }
          tosa.yield %6 : tensor<1x2xi16>
        } else {
        ^bb0(%arg7: tensor<1x2xi16>, %arg8: tensor<4xi16>):
          %5 = tosa.identity %arg7 : (tensor<1x2xi16>) -> tensor<1x2xi16>
          tosa.yield %5 : tensor<1x2xi16>
        }
        tosa.yield %4 : tensor<1x2xi16>
      } else {
      ^bb0(%arg5: tensor<1x2xi16>, %arg6: tensor<4xi16>):
        %3 = tosa.identity %arg5 : (tensor<1x2xi16>) -> tensor<1x2xi16>
        tosa.yield %3 : tensor<1x2xi16>
      }
      tosa.yield %2 : tensor<1x2xi16>
    } else {
    ^bb0(%arg3: tensor<1x2xi16>, %arg4: tensor<4xi16>):
      %1 = tosa.identity %arg3 : (tensor<1x2xi16>) -> tensor<1x2xi16>
      tosa.yield %1 : tensor<1x2xi16>
    }
    return %0 : tensor<1x2xi16>
  }
}

