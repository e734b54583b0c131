module {
  tosa.variable @state0 = dense<0> : tensor<3x1x3xi8>
  func.func @main() -> tensor<3x1x3xi8> {
    %0 = tosa.variable_read @state0 : tensor<3x1x3xi8>
    %1 = tosa.bitwise_not %0 : (tensor<3x1x3xi8>) -> tensor<3x1x3xi8>
    tosa.variable_write @state0, %1 : tensor<3x1x3xi8>
    return %1 : tensor<3x1x3xi8>
  }
}

