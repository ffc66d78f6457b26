// Words in two braces, as tasks may have them in their environment, hostname, mounts, and in secrets and configs that
// are templates: `{{.Service.Name}}`, `{{index .Service.Labels "x"}}`, `{{env "PATH"}}`, `{{secret "name"}}`.
import { invalidParameter } from '../../errors.ts'

export type TemplateValues = { [name: string]: string | TemplateValues }

export interface TemplateSource {
  values: TemplateValues
  /** `env`, `secret` and `config`, where they may be used. */
  functions?: Readonly<Record<string, (argument: string) => string | undefined>>
}

const braces = /\{\{-?\s*(.*?)\s*-?\}\}/gs
const dotted = /^\.([A-Za-z.]+)$/
const indexed = /^index\s+\.([A-Za-z.]+)\s+"((?:[^"\\]|\\.)*)"$/
const called = /^([a-z]+)\s+"((?:[^"\\]|\\.)*)"$/

export function expandTemplate(text: string, source: TemplateSource): string {
  return text.replace(braces, (_, action: string) => actionValue(action, source))
}

function actionValue(action: string, { values, functions = {} }: TemplateSource): string {
  const [, path] = dotted.exec(action) ?? []
  if (path !== undefined) return asText(lookUp(values, path), action)
  const [, map, key = ''] = indexed.exec(action) ?? []
  if (map !== undefined) {
    const found = lookUp(values, map)
    // As in Go: what a map has not is empty.
    return typeof found === 'object' ? asText(found[key] ?? '', action) : asText(undefined, action)
  }
  const [, name = '', argument = ''] = called.exec(action) ?? []
  return asText(functions[name]?.(argument), action)
}

function lookUp(values: TemplateValues, path: string): string | TemplateValues | undefined {
  let found: string | TemplateValues | undefined = values
  for (const step of path.split('.')) found = typeof found === 'object' ? own(found, step) : undefined
  return found
}

const own = (values: TemplateValues, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)

function asText(value: string | TemplateValues | undefined, action: string): string {
  if (typeof value === 'string') return value
  throw invalidParameter(`invalid template: {{${action}}} has no value here`)
}
