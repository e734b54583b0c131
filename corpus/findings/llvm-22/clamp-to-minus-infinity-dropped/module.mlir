module {
  func.func @main(%arg0: tensor<1x1x1xbf16>) -> tensor<1x1x1xbf16> {
    %0 = tosa.clamp %arg0 {max_val = 0xFF80 : bf16, min_val = 0xFF80 : bf16} : (tensor<1x1x1xbf16>) -> tensor<1x1x1xbf16>
    return %0 : tensor<1x1x1xbf16>
  }
}

