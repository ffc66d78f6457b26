// Which version of a client is tested: what the manifests pin, so that a title cannot say anything else.
import { readFileSync } from 'node:fs'

const manifests = [
  '../../../package.json',
  '../../../../../packages/testkit/package.json',
  '../../../../../packages/clients-2024/package.json',
]

export function clientVersion(name: string): string {
  for (const path of manifests) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(new URL(path, import.meta.url), 'utf8'),
    ) as Record<string, Record<string, string>>
    const range = devDependencies[name] ?? dependencies[name]
    if (range !== undefined) return range.replace(/^npm:.*@/, '')
  }
  throw new Error(`No manifest names ${name}.`)
}
