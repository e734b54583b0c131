module {
  func.func @main() -> tensor<i1> {
    %0 = "tosa.const"() <{value = dense<2> : tensor<i8>}> : () -> tensor<i8>
    %1 = tosa.cast %0 : (tensor<i8>) -> tensor<i1>
    return %1 : tensor<i1>
  }
}
