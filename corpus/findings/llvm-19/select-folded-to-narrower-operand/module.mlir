func.func @main(%arg0: tensor<1x2xf32>, %arg1: tensor<1x1xf32>) -> tensor<2x1xf32> {
  %c = "tosa.const"() <{value = dense<false> : tensor<1x1xi1>}> : () -> tensor<1x1xi1>
  %p = "tosa.const"() <{value = dense<[1, 0]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %s = tosa.select %c, %arg0, %arg1 : (tensor<1x1xi1>, tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
  %t = tosa.transpose %s, %p : (tensor<1x2xf32>, tensor<2xi32>) -> tensor<2x1xf32>
  return %t : tensor<2x1xf32>
}
