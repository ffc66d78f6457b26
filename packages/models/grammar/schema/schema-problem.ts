// What goes wrong with a schema, and where.
import { ModelProblem } from '../../problem.ts'

/** Where in the request the schema stands, and how strict to be. */
export interface SchemaPlace {
  /** Such as `response_format.json_schema.schema`. */
  param: string
  /** As errors name it, such as `response_format 'answer'` or `function 'get_weather'`. */
  subject: string
  /** What breaches of the strict rules name, such as `response_format`. */
  strictParam: string
  strict: boolean
}

/** The way from the schema's root to a part of it. */
export type SchemaPath = readonly (string | number)[]

export const invalidSchema = (place: SchemaPlace, path: SchemaPath, what: string): ModelProblem =>
  new ModelProblem(message(place, path, what), { kind: 'invalid', param: paramAt(place, path) })

export const unsupportedSchema = (place: SchemaPlace, path: SchemaPath, what: string): ModelProblem =>
  new ModelProblem(message(place, path, what), { kind: 'unsupported', param: paramAt(place, path) })

export const strictRuleBreach = (place: SchemaPlace, path: SchemaPath | undefined, what: string): ModelProblem =>
  new ModelProblem(message(place, path, what), { kind: 'invalid', param: place.strictParam })

const message = (place: SchemaPlace, path: SchemaPath | undefined, what: string): string =>
  `Invalid schema for ${place.subject}: ${path ? `In context=${context(path)}, ` : ''}${what}`

/** Written as the hosted service writes it: `()`, `('properties',)`, `('properties', 'name')`. */
const context = (path: SchemaPath): string =>
  `(${path.map((step) => `'${step}'`).join(', ')}${path.length === 1 ? ',' : ''})`

const paramAt = ({ param }: SchemaPlace, path: SchemaPath): string =>
  path.reduce<string>((at, step) => (typeof step === 'number' ? `${at}[${step}]` : `${at}.${step}`), param)
