module {
  func.func @main(%arg0: tensor<i16>) -> tensor<i16> {
    %0 = tosa.negate %arg0 : (tensor<i16>) -> tensor<i16>
    return %0 : tensor<i16>
  }
}
