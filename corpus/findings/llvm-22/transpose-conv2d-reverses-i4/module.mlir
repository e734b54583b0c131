module {
  func.func @main(%arg0: tensor<1x1x1x1xi8>, %arg1: tensor<1x2x1x1xi4>, %arg2: tensor<1xi32>) -> tensor<1x2x1x1xi32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi4>}> : () -> tensor<1xi4>
    %2 = tosa.transpose_conv2d %arg0, %arg1, %arg2, %0, %1 {acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x1xi8>, tensor<1x2x1x1xi4>, tensor<1xi32>, tensor<1xi8>, tensor<1xi4>) -> tensor<1x2x1x1xi32>
    return %2 : tensor<1x2x1x1xi32>
  }
}

