// What a Python process reads: its code, Pyodide, Node, and the libraries that Node is linked with.
import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const pathOf = (url: string): string => fileURLToPath(new URL(url, import.meta.url))
const pyodideModule = fileURLToPath(import.meta.resolve('pyodide'))

export const childEntry = fileURLToPath(new URL('./child/python-child.ts', import.meta.url))
export const pyodideFolder = dirname(realpathSync(pyodideModule))

const ownFolder = pathOf('.')

export const readableFiles = (packagesFolder: string | undefined): string[] => [
  ...new Set([
    ownFolder.replace(/\/$/, ''),
    // Elsewhere, when it was put together with what it needs.
    ...(childEntry.startsWith(ownFolder) ? [] : [childEntry]),
    pathOf('../package.json'),
    pyodideFolder,
    dirname(pyodideModule),
    ...(packagesFolder === undefined ? [] : [packagesFolder]),
  ]),
]

/** Where the linker and OpenSSL look first; to find one forbidden ends them. */
const settings = ['/etc/ld.so.cache', '/etc/ssl/openssl.cnf']

let found: string[] | undefined

/** Besides what it reads by itself. */
export function programFiles(): string[] {
  found ??= findProgramFiles()
  return found
}

function findProgramFiles(): string[] {
  const report = process.report.getReport() as { sharedObjects?: string[] }
  const libraries = (report.sharedObjects ?? []).filter((path) => /\/[^/]+\.so(\.[\d.]+)?$/.test(path))
  return [...new Set([process.execPath, ...libraries, ...settings])].filter((path) => existsSync(path))
}
