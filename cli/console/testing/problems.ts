// What went wrong in a page: scripts that failed or were kept from running, and answers that refused something. A flow
// that wants to be refused says so; whatever else is here at the end fails the test.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Chromium's own line for an answer that refuses; the answer is told by itself. */
const ofAnswers = /^Failed to load resource: the server responded/
const firstRefusal = 400

export class Problems {
  #found: string[] = []

  constructor(page: Page) {
    page.on('pageerror', (error) => this.#found.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !ofAnswers.test(message.text())) this.#found.push(message.text())
    })
    page.on('response', (response) => {
      const refusal = `${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`
      if (response.status() >= firstRefusal) this.#found.push(refusal)
    })
  }

  /** `400 POST /v1/…`: fails where there was none. */
  expectRefusal(refusal: RegExp): void {
    expect(this.#found.filter((found) => refusal.test(found)).length, `${refusal} in ${this.#found}`).toBeGreaterThan(0)
    this.#found = this.#found.filter((found) => !refusal.test(found))
  }

  expectNone(): void {
    expect(this.#found).toEqual([])
  }
}
