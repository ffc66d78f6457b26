// Numbers of two bytes, each looked up.
const halves = Float32Array.from(new Float16Array(Uint16Array.from({ length: 65_536 }, (_, bits) => bits).buffer))

export const fromHalf = (low: number, high: number): number => halves[low | (high << 8)]!
