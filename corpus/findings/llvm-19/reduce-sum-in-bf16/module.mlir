module {
  func.func @main(%arg0: tensor<39xbf16>) -> tensor<1xbf16> {
    %0 = tosa.reduce_sum %arg0 {axis = 0 : i32} : (tensor<39xbf16>) -> tensor<1xbf16>
    return %0 : tensor<1xbf16>
  }
}
