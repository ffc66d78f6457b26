// Checks answers against the published description of the API. It is no part of this project: where the file is not
// at hand, the checks are skipped, and a line says so.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'

const file =
  process.env.ATOLL_TEST_SCHEMAS ??
  fileURLToPath(new URL('../../../../../shared/spec/schemas-2024-12.json', import.meta.url))

export interface Published {
  $id: string
  components: { schemas: Record<string, object> }
  /** By method and path, as in `GET /files`. */
  paths: Record<string, { request: object | null; query: { name: string }[] }>
}

/** Undefined where it is not at hand. */
export const readPublished = (): Published | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Published) : undefined

function load(): { ajv: Ajv2020; id: string } | undefined {
  const published = readPublished()
  if (published === undefined) {
    console.info(`Answers are not checked against the published schemas: there is no ${file}.`)
    return undefined
  }
  // The description has words of its own that no validator knows.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(published)
  return { ajv, id: published.$id }
}

let loaded: { ajv: Ajv2020; id: string } | null | undefined = null

/** Throws unless `value` is what the published schema of that name says. */
export function checkPublished(schema: string, value: unknown): void {
  if (loaded === null) loaded = load()
  if (loaded === undefined) return
  const { ajv, id } = loaded
  const validate = ajv.getSchema(`${id}#/components/schemas/${schema}`)
  if (validate === undefined) throw new Error(`There is no published schema ${schema}.`)
  if (validate(value)) return
  throw new Error(`Not a ${schema}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 2000)}`)
}
