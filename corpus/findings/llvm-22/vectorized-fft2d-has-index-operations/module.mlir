module {
  func.func @main(%arg0: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
    %output_real, %output_imag = tosa.fft2d %arg0, %arg0 {inverse = false} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x2xf32>)
    return %output_real : tensor<1x1x2xf32>
  }
}

