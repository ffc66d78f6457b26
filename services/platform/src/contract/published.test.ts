// What the published description of the API lets callers send is known here: every operation, parameter and property.
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
import { readPublished } from '../testing/published-schemas.ts'

interface Schema {
  $ref?: string
  properties?: object
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}

interface Operation {
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
}

const published = readPublished()

function follow(schema: Schema, document: object): Schema {
  const path = schema.$ref?.split('/').slice(1)
  if (path === undefined) return schema
  return follow(path.reduce((part, name) => part[name as keyof typeof part], document) as Schema, document)
}

function propertiesOf(schema: Schema, document: object): string[] {
  const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = follow(schema, document)
  const parts = [...allOf, ...anyOf, ...oneOf].flatMap((part) => propertiesOf(part, document))
  return [...Object.keys(properties), ...parts].map((name) => name.replace('[]', ''))
}

function sendable({ parameters = [], requestBody }: Operation, document: object): string[] {
  const queries = parameters.filter((one) => one.in === 'query').map(({ name }) => name.replace('[]', ''))
  const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => propertiesOf(schema, document))
  return [...queries, ...bodies]
}

/** Names of what stands in the address differ. */
const shape = (path: string): string => path.replace(/\{\w+\}/g, '{}')

describePlatformOnSqlite('the published description', (start) => {
  it.skipIf(published === undefined)('has nothing to send that is unknown here', async () => {
    if (published === undefined) return
    const platform = await start()
    const document = (await (await fetch(`${platform.url}/openapi.json`)).json()) as Document
    const ours = new Map(Object.entries(document.paths).map(([path, methods]) => [shape(path), methods]))
    const unknown: string[] = []
    for (const [key, { request, query }] of Object.entries(published.paths)) {
      const [method = '', path = ''] = key.split(' ')
      const operation = ours.get(shape(`/v1${path}`))?.[method.toLowerCase()]
      if (operation === undefined) unknown.push(key)
      const known = sendable(operation ?? {}, document)
      const names = [
        ...query.map(({ name }) => name.replace('[]', '')),
        ...(request === null ? [] : propertiesOf(request, published)),
      ]
      unknown.push(...names.filter((name) => !known.includes(name)).map((name) => `${key}: ${name}`))
    }
    expect(Object.keys(published.paths).length).toBeGreaterThan(100)
    expect(unknown).toEqual([])
  })
})
