module {
  func.func @main(%arg0: tensor<1xi32>, %arg1: tensor<1xi32>) -> tensor<1xi32> {
    %0 = tosa.intdiv %arg0, %arg1 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    return %0 : tensor<1xi32>
  }
}

