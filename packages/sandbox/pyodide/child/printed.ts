// Standard output and error of Python, in the order they were written, sent line by line: a reader sees a line when it
// is complete, and half a line before Python sleeps or ends.
import { sendReply } from './pipes.ts'

const maxWaitingBytes = 8 * 1024
const maxWaitMs = 100
const newline = 10

let waiting: Uint8Array[] = []
let waitingBytes = 0
let lastSent = 0
let isMuted = false

export function print(bytes: Uint8Array): number {
  if (isMuted) return bytes.length
  waiting.push(bytes.slice())
  waitingBytes += bytes.length
  if (bytes.includes(newline) || waitingBytes > maxWaitingBytes || performance.now() - lastSent > maxWaitMs)
    sendPrinted()
  return bytes.length
}

export function sendPrinted(): void {
  lastSent = performance.now()
  if (waitingBytes === 0) return
  sendReply({ is: 'logs' }, Buffer.concat(waiting))
  waiting = []
  waitingBytes = 0
}

/** Python has failed for good: what follows is about its inside. */
export function printNoMore(): void {
  isMuted = true
}
