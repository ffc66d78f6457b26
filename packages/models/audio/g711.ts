// The telephone's codes: one byte a sample (ITU-T G.711).
const mulawBias = 0x84
const mulawMax = 32_635
const alawMax = 32_767

export function decodeMulaw(code: number): number {
  const bits = ~code & 0xff
  const magnitude = ((((bits & 0x0f) << 3) + mulawBias) << ((bits & 0x70) >> 4)) - mulawBias
  return bits & 0x80 ? 0 - magnitude : magnitude
}

export function encodeMulaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(mulawMax, Math.abs(sample)) + mulawBias
  const exponent = Math.max(0, 24 - Math.clz32(magnitude))
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~(sign | (exponent << 4) | mantissa) & 0xff
}

export function decodeAlaw(code: number): number {
  const bits = code ^ 0x55
  const exponent = (bits & 0x70) >> 4
  const mantissa = ((bits & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return bits & 0x80 ? magnitude : -magnitude
}

export function encodeAlaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80
  const magnitude = Math.min(alawMax, sample < 0 ? -sample - 1 : sample)
  const exponent = Math.max(0, 24 - Math.clz32(magnitude))
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f
  return (sign | (exponent << 4) | mantissa) ^ 0x55
}
