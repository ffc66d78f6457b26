// What each keyword of a JSON Schema must hold, and whether grammars enforce it.

export type KeywordValue =
  | 'schema'
  | 'schemas'
  | 'schema-or-schemas'
  | 'schema-map'
  | 'types'
  | 'values'
  | 'anything'
  | 'count'
  | 'number'
  | 'positive'
  | 'text'
  | 'names'
  | 'flag'

export const keywordValues: Record<string, KeywordValue> = {
  type: 'types',
  nullable: 'flag',
  enum: 'values',
  const: 'anything',
  $ref: 'text',
  $defs: 'schema-map',
  definitions: 'schema-map',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  properties: 'schema-map',
  patternProperties: 'schema-map',
  additionalProperties: 'schema',
  required: 'names',
  minProperties: 'count',
  maxProperties: 'count',
  items: 'schema-or-schemas',
  prefixItems: 'schemas',
  additionalItems: 'schema',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'text',
  format: 'text',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
}

/** They say something about the schema, nothing about what validates. */
export const annotations: ReadonlySet<string> = new Set([
  'title', 'description', 'default', 'example', 'examples', '$schema', '$id', '$comment', '$anchor', 'deprecated',
  'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'discriminator',
]) // biome-ignore format: a table
