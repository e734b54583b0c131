module {
  func.func @main(%arg0: tensor<1x1x1x1xi8>) -> tensor<1x1x1x1xi8> {
    %0 = tosa.transpose %arg0 {perms = array<i32: 3, 1, 0, 2>} : (tensor<1x1x1x1xi8>) -> tensor<1x1x1x1xi8>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = tosa.negate %0, %1, %2 : (tensor<1x1x1x1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
    %4 = tosa.transpose %3 {perms = array<i32: 2, 1, 3, 0>} : (tensor<1x1x1x1xi8>) -> tensor<1x1x1x1xi8>
    return %4 : tensor<1x1x1x1xi8>
  }
}

