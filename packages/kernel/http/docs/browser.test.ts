// Runs the page's script against a stand-in for the few parts of a browser it touches.
import { readFile } from 'node:fs/promises'
import { createContext, runInContext } from 'node:vm'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { AnyService } from '../host.ts'
import { defineRoute, sampleService } from '../testing/sample-service.ts'
import { openApiDocument } from './openapi.ts'

class FakeElement {
  readonly tagName: string
  className = ''
  id = ''
  hidden = false
  value = ''
  href = ''
  open = false
  dataset: Record<string, string> = {}
  children: (FakeElement | string)[] = []
  #listeners: [string, () => void][] = []

  constructor(tag: string) {
    this.tagName = tag.toUpperCase()
  }

  set textContent(text: string) {
    this.children = [text]
  }

  append(...inner: (FakeElement | string)[]): void {
    this.children.push(...inner)
  }

  replaceChildren(...inner: (FakeElement | string)[]): void {
    this.children = inner
  }

  addEventListener(name: string, listener: () => void): void {
    this.#listeners.push([name, listener])
  }

  fire(name: string): void {
    for (const [wanted, listener] of this.#listeners) if (wanted === name) listener()
  }

  all(): FakeElement[] {
    return [this, ...this.children.flatMap((child) => (typeof child === 'string' ? [] : child.all()))]
  }

  querySelectorAll(selector: string): FakeElement[] {
    const [tag = '', className = ''] = selector.split(' ').at(-1)?.split('.') ?? []
    return this.all().filter((one) => one.tagName === tag.toUpperCase() && one.className.includes(className))
  }

  text(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.text())).join('')
  }
}

const ids = new Map(['main', 'nav', 'version', 'search'].map((id) => [id, new FakeElement('div')]))
const element = (id: string) => ids.get(id) as FakeElement

beforeAll(async () => {
  const recursive: z.ZodType = z.object({ name: z.string(), children: z.lazy(() => z.array(recursive)) })
  const routes = [
    defineRoute({
      method: 'PUT',
      path: '/v1/trees/:id',
      auth: 'user',
      summary: 'Grow',
      body: recursive,
      response: recursive,
      handler: () => ({}),
    }),
  ]
  const document = openApiDocument(sampleService({ routes }) as unknown as AnyService)
  const page = {
    createElement: (tag: string) => new FakeElement(tag),
    getElementById: (id: string) => ids.get(id),
    querySelectorAll: (selector: string) => element('main').querySelectorAll(selector),
    addEventListener() {},
  }
  const fetch = async () => ({ json: async () => JSON.parse(JSON.stringify(document)) })
  const location = { hash: '', origin: 'http://127.0.0.1:8080' }
  const script = await readFile(new URL('./browser.js', import.meta.url), 'utf8')
  runInContext(script, createContext({ document: page, fetch, location, navigator: {} }))
  await vi.waitFor(() => expect(element('main').text()).toContain('/v1/things'))
})

const operations = () => element('main').querySelectorAll('details.operation')
const operation = (words: string) => operations().find((one) => one.dataset.words?.includes(words)) as FakeElement

describe('the page at /docs', () => {
  it('groups operations by what they are about', () => {
    expect(element('nav').text()).toBe('boom1chat1files1things3trees1')
    expect(operations()).toHaveLength(7)
  })

  it('shows a curl command, the parameters, the body and the answer of an operation', () => {
    const chat = operation('post /v1/chat')
    chat.fire('toggle')
    expect(chat.text()).toContain(`curl 'http://127.0.0.1:8080/v1/chat'`)
    expect(chat.text()).toContain(`-d '{"messages":[{"role":"user","content":"text"}]}'`)
    expect(chat.text()).toContain('temperature number, minimum 0, maximum 2')
    expect(chat.text()).toContain('Answer · 201 · application/json')
    const files = operation('post /v1/files')
    files.fire('toggle')
    expect(files.text()).toContain('-F file=@your-file')
    const list = operation('get /v1/things list')
    list.fire('toggle')
    expect(list.text()).toContain('In the query')
  })

  it('opens nested and recursive schemas step by step', () => {
    const tree = operation('put /v1/trees')
    tree.fire('toggle')
    for (let depth = 0; depth < 5; depth++) {
      const open = tree.querySelectorAll('details.field')
      open.at(-1)?.fire('toggle')
      expect(tree.querySelectorAll('details.field').length).toBeGreaterThan(depth)
    }
  })

  it('finds operations by every word given', () => {
    const search = element('search')
    search.value = 'upload FILE'
    search.fire('input')
    expect(
      operations()
        .filter(({ hidden }) => !hidden)
        .map(({ id }) => id),
    ).toEqual(['post_files'])
    search.value = ''
    search.fire('input')
    expect(operations().every(({ hidden }) => !hidden)).toBe(true)
  })
})
