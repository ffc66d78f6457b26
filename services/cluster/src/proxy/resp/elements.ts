// What a list of RESP consists of, each as it stands there.
import { FrameScanner } from './frame-scanner.ts'

export function elementsOf(list: Buffer): Buffer[] {
  const scanner = new FrameScanner()
  const found: Buffer[] = []
  for (let at = list.indexOf('\n') + 1; at > 0 && at < list.length; ) {
    const end = scanner.next(list, at)
    if (end < 0) break
    found.push(list.subarray(at, end))
    at = end
  }
  return found
}

export const listOf = (elements: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(`*${elements.length}\r\n`), ...elements])
