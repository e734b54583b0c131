module {
  func.func @main() -> (tensor<1x1x2x1x1xi1>, tensor<1x1x2x1x1xi1>) {
    %0 = "tosa.const"() <{values = dense<[[[[[false]], [[true]]]]]> : tensor<1x1x2x1x1xi1>}> : () -> tensor<1x1x2x1x1xi1>
    %1 = tosa.logical_and %0, %0 : (tensor<1x1x2x1x1xi1>, tensor<1x1x2x1x1xi1>) -> tensor<1x1x2x1x1xi1>
    %2 = tosa.transpose %0 {perms = array<i32: 0, 1, 2, 4, 3>} : (tensor<1x1x2x1x1xi1>) -> tensor<1x1x2x1x1xi1>
    return %1, %2 : tensor<1x1x2x1x1xi1>, tensor<1x1x2x1x1xi1>
  }
}

