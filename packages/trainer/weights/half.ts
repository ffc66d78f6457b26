// Numbers of two bytes.
const halves = new Float32Array(65_536)
for (let bits = 0; bits < halves.length; bits++) {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  const value = exponent === 31 ? (fraction === 0 ? Infinity : Number.NaN) : size
  halves[bits] = bits & 0x8000 ? -value : value
}

export const fromHalf = (low: number, high: number): number => halves[low | (high << 8)]!
