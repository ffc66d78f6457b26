// A file for the browser's microphone, which plays it again and again: silence, what is said, silence.
const rate = 24_000
const bytesPerSample = 2
const before = 1
const after = 2.5

const silence = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * rate) * bytesPerSample)

/** Of PCM16, one channel, 24,000 samples a second. */
export function wavWithPauses(speech: Buffer): Buffer {
  const sound = Buffer.concat([silence(before), speech, silence(after)])
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + sound.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20) // PCM
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * bytesPerSample, 28)
  head.writeUInt16LE(bytesPerSample, 32)
  head.writeUInt16LE(8 * bytesPerSample, 34)
  head.write('data', 36)
  head.writeUInt32LE(sound.length, 40)
  return Buffer.concat([head, sound])
}
