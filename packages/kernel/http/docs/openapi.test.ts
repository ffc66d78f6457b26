import { createHash } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineRoute, type Sample, startSample } from '../testing/sample-service.ts'

interface Operation {
  parameters?: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> }
  responses: Record<string, { content?: Record<string, { schema: Record<string, unknown> }> }>
  security: object[]
}

let sample: Sample
let paths: Record<string, Record<string, Operation>>
let text: string
beforeAll(async () => {
  const socket = {
    path: '/v1/realtime',
    auth: 'user' as const,
    summary: 'Talk',
    query: z.object({ model: z.string() }),
    maxMessageBytes: 1,
    open() {},
  }
  sample = await startSample({ sockets: [socket] })
  const response = await fetch(`${sample.url}/openapi.json`)
  text = await response.text()
  const document = JSON.parse(text)
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Sample', version: '1.2.3' } })
  paths = document.paths
})
afterAll(() => sample.stop())

describe('/openapi.json', () => {
  it('describes parameters, bodies, answers and who may call', () => {
    expect(Object.keys(paths)).toContain('/v1/things/{thing_id}')
    const { get } = paths['/v1/things']!
    expect(get?.parameters?.find(({ name }) => name === 'limit')).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    })
    expect(paths['/v1/things/{thing_id}']?.get?.parameters).toEqual([
      { name: 'thing_id', in: 'path', required: true, schema: { type: 'string' } },
    ])
    expect(get?.security).toEqual([{ user: [] }])
    expect(paths['/v1/boom']?.get?.security).toEqual([])
    expect(paths['/v1/realtime']?.get?.responses).toHaveProperty('101')
    const form = paths['/v1/files']?.post?.requestBody?.content['multipart/form-data']?.schema
    expect(form).toMatchObject({ required: ['purpose', 'file'], properties: { file: { format: 'binary' } } })
  })

  it('has schemas that a validator understands and that agree with the server', () => {
    const ajv = new Ajv2020({ strict: false })
    const schema = paths['/v1/chat']?.post?.requestBody?.content['application/json']?.schema
    const validate = ajv.compile(schema ?? {})
    expect(validate({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] })).toBe(true)
    expect(validate({ messages: [{ role: 'user', content: [{ type: 'video' }] }] })).toBe(false)
    expect(validate({ messages: [{ role: 'user', content: '' }], surprise: 1 })).toBe(false)
    for (const item of Object.values(paths)) {
      for (const { responses } of Object.values(item)) {
        for (const { content } of Object.values(responses)) {
          for (const { schema: answer } of Object.values(content ?? {})) ajv.compile(answer)
        }
      }
    }
  })

  it('is made once', async () => {
    expect(await (await fetch(`${sample.url}/openapi.json`)).text()).toBe(text)
  })
})

describe('/docs', () => {
  it('is one page whose own script and style are all its policy allows', async () => {
    const response = await fetch(`${sample.url}/docs`)
    const page = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(policy).toContain("default-src 'none'")
    for (const [tag, directive] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ] as const) {
      const inner = new RegExp(`<${tag}>([\\s\\S]*)</${tag}>`).exec(page)?.[1] ?? ''
      const hash = createHash('sha256').update(inner).digest('base64')
      expect(policy).toContain(`${directive} 'sha256-${hash}'`)
    }
    expect(page).toContain('<title>Sample</title>')
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(page).not.toMatch(/ on\w+=| style="/)
  })
})

describe('schemas that refer to themselves or have a name', () => {
  it('are put where references from anywhere in the document find them', async () => {
    const tree: z.ZodType = z.object({ name: z.string(), children: z.lazy(() => z.array(tree)) })
    const named = z.object({ x: z.int() }).meta({ id: 'OpenApiTestPoint' })
    const route = (path: string, body: z.ZodType) =>
      defineRoute({
        method: 'POST',
        path,
        auth: 'user',
        summary: path,
        body,
        response: named,
        handler: () => ({ x: 1 }),
      })
    const other = await startSample({
      routes: [route('/trees', tree), route('/points', z.object({ a: named, b: named }))],
    })
    const document = (await (await fetch(`${other.url}/openapi.json`)).json()) as typeof openApi
    await other.stop()
    expect(Object.keys(document.components.schemas).sort()).toEqual(['OpenApiTestPoint', 'post_trees_request'])
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema(document, 'document')
    const validate = ajv.compile({ $ref: 'document#/components/schemas/post_trees_request' })
    expect(validate({ name: 'a', children: [{ name: 'b', children: [] }] })).toBe(true)
    expect(validate({ name: 'a', children: [{ name: 5, children: [] }] })).toBe(false)
  })
})

declare const openApi: { components: { schemas: Record<string, object> } }
