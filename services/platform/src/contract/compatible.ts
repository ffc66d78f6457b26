// Tells whether programs written for an older OpenAPI document still work with a newer one.
// Allowed: new operations, new optional parameters, new properties in answers, another order of properties.
interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
}

interface Parameter {
  name: string
  in: string
  required?: boolean
}

interface Content {
  content?: Record<string, { schema?: Schema }>
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: Content
  responses?: Record<string, Content>
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
}

export function breakingChanges(older: OpenApi, newer: OpenApi): string[] {
  return Object.entries(older.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      const now = newer.paths[path]?.[method]
      return now ? operationChanges(name, operation, now) : [`${name} is gone`]
    }),
  )
}

function operationChanges(name: string, older: Operation, newer: Operation): string[] {
  return [
    ...parameterChanges(name, older.parameters ?? [], newer.parameters ?? []),
    ...contents(older.requestBody).flatMap(([type, schema]) => {
      const now = newer.requestBody?.content?.[type]?.schema
      return now ? requestChanges(`${name} body`, schema, now) : [`${name} no longer takes ${type}`]
    }),
    ...Object.entries(older.responses ?? {})
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([status, response]) =>
        contents(response).flatMap(([type, schema]) => {
          const now = newer.responses?.[status]?.content?.[type]?.schema
          return now ? answerChanges(`${name} answer`, schema, now) : [`${name} no longer answers ${status} ${type}`]
        }),
      ),
  ]
}

function parameterChanges(name: string, older: Parameter[], newer: Parameter[]): string[] {
  const find = (list: Parameter[], wanted: Parameter) =>
    list.find((parameter) => parameter.name === wanted.name && parameter.in === wanted.in)
  return [
    ...older.filter((known) => !find(newer, known)).map((known) => `${name} lost parameter ${known.name}`),
    ...newer
      .filter((parameter) => parameter.required && !find(older, parameter)?.required)
      .map((parameter) => `${name} newly requires parameter ${parameter.name}`),
  ]
}

/** What callers send: nothing known may be lost, nothing new may be required, no value may be refused newly. */
function requestChanges(where: string, older: Schema, newer: Schema): string[] {
  const lost = Object.keys(older.properties ?? {}).filter((name) => !newer.properties?.[name])
  const required = (newer.required ?? []).filter((name) => !older.required?.includes(name))
  const refused = (older.enum ?? []).filter((value) => newer.enum && !newer.enum.includes(value))
  return [
    ...lost.map((name) => `${where} lost ${name}`),
    ...required.map((name) => `${where} newly requires ${name}`),
    ...refused.map((value) => `${where} newly refuses ${value}`),
    ...deeper(where, older, newer, requestChanges),
  ]
}

/** What callers read: each property they know is still there, as sure as before, with the same type. */
function answerChanges(where: string, older: Schema, newer: Schema): string[] {
  const lost = Object.keys(older.properties ?? {}).filter((name) => !newer.properties?.[name])
  const unsure = (older.required ?? []).filter((name) => newer.properties?.[name] && !newer.required?.includes(name))
  const retyped = JSON.stringify(older.type) !== JSON.stringify(newer.type)
  return [
    ...lost.map((name) => `${where} lost ${name}`),
    ...unsure.map((name) => `${where} no longer promises ${name}`),
    ...(retyped ? [`${where} changed type from ${older.type} to ${newer.type}`] : []),
    ...deeper(where, older, newer, answerChanges),
  ]
}

function deeper(where: string, older: Schema, newer: Schema, compare: typeof requestChanges): string[] {
  const properties = Object.entries(older.properties ?? {}).flatMap(([name, schema]) => {
    const now = newer.properties?.[name]
    return now ? compare(`${where}.${name}`, schema, now) : []
  })
  const items = older.items && newer.items ? compare(`${where}[]`, older.items, newer.items) : []
  return [...properties, ...items]
}

const contents = (holder: Content | undefined): [string, Schema][] =>
  Object.entries(holder?.content ?? {}).map(([type, { schema }]) => [type, schema ?? {}])
