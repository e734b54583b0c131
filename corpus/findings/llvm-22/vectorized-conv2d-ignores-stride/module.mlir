module {
  func.func @main(%arg0: tensor<1x1x2x2xi8>, %arg1: tensor<1x3x2x2xi4>, %arg2: tensor<1xi32>) -> tensor<1x1x2x1xi32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi4>}> : () -> tensor<1xi4>
    %2 = tosa.conv2d %arg0, %arg1, %arg2, %0, %1 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 2, 0, 2>, stride = array<i64: 1, 2>} : (tensor<1x1x2x2xi8>, tensor<1x3x2x2xi4>, tensor<1xi32>, tensor<1xi8>, tensor<1xi4>) -> tensor<1x1x2x1xi32>
    return %2 : tensor<1x1x2x1xi32>
  }
}

