// The sources as an installed package has them. Node strips no types in a folder named node_modules, so they are
// stripped before; lines stay where they are.
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** `path` is the module's, from the root of the checkout. */
export function plainJavaScript(code: string, path: string): string {
  const withoutTypes = path.endsWith('.ts') ? stripTypeScriptTypes(code) : code
  return withoutTypes
    .replace(/'@atoll\/([\w-]+)\/([^']+)'/g, (_, name: string, inside: string) => {
      const target = relative(dirname(path), join(...sourcesOf(name), `${inside}.js`))
      return `'${target.startsWith('.') ? target : `./${target}`}'`
    })
    .replace(/'(\.{1,2}\/[^'\n]*)\.ts'/g, "'$1.js'")
    .replaceAll(/\.\/atoll (?=[a-z<-])/g, 'atoll ')
}

const services = ['cluster', 'engine', 'hooks', 'platform']

/** Where `@atoll/NAME/…` leads to, as `exports` in its package.json says. */
const sourcesOf = (name: string): string[] => (services.includes(name) ? ['services', name, 'src'] : ['packages', name])
