// What a test has opened is closed after it, the newest first.
import { afterEach } from 'vitest'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

export function closeAfterTest(close: () => Promise<void>): void {
  closers.push(close)
}
