module {
  func.func @main() -> tensor<i32> {
    %0 = "tosa.const"() <{values = dense<127> : tensor<i8>}> : () -> tensor<i8>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = tosa.mul %0, %0, %1 : (tensor<i8>, tensor<i8>, tensor<1xi8>) -> tensor<i32>
    return %2 : tensor<i32>
  }
}

