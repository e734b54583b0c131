module {
  func.func @main() -> tensor<1x6x1x5xf8E4M3FN> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<6x1x5xf8E4M3FN>}> : () -> tensor<6x1x5xf8E4M3FN>
    %1 = tosa.const_shape  {values = dense<[1, 6, -1, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %2 = tosa.reshape %0, %1 : (tensor<6x1x5xf8E4M3FN>, !tosa.shape<4>) -> tensor<1x6x1x5xf8E4M3FN>
    return %2 : tensor<1x6x1x5xf8E4M3FN>
  }
}

