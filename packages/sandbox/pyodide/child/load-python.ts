// Loads Pyodide, from a memory snapshot or anew, with nothing of JavaScript in its reach.
import { readFileSync } from 'node:fs'
import { loadPyodide, type PyodideAPI } from 'pyodide'
import type { ChildSettings } from './child-settings.ts'

const snapshotFd = 4

/** Part of the snapshot: what programs import most costs a new session nothing. */
const imported =
  'collections, copy, csv, dataclasses, datetime, decimal, enum, fractions, functools, hashlib, io, itertools, json, ' +
  'math, operator, os, pathlib, random, re, sqlite3, statistics, string, textwrap, time, types, typing, uuid, zipfile'

const environment = {
  HOME: '/home/sandbox',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  USER: 'sandbox',
  LOGNAME: 'sandbox',
  PATH: '',
  _: '/usr/bin/python3',
  MPLBACKEND: 'module://sandbox_figures',
}

/** What Python would find in the module `js`. Without a prototype: no constructor leads anywhere. */
function noJavaScript(): object {
  const refuse = Object.setPrototypeOf(() => {
    throw new Error('JavaScript is not available')
  }, null)
  return Object.assign(Object.create(null), { eval: refuse })
}

export interface Lock {
  info: object
  packages: Record<string, { name: string; file_name: string; imports: string[]; depends: string[] }>
}

export async function loadPython(settings: ChildSettings, lock: Lock): Promise<PyodideAPI> {
  const { pyodideFolder, fromSnapshot, packagesFolder } = settings
  const silent = (): void => undefined
  return await loadPyodide({
    indexURL: pyodideFolder,
    lockFileContents: JSON.stringify(lock),
    packageBaseUrl: packagesFolder ?? '/nonexistent',
    jsglobals: noJavaScript(),
    env: environment,
    stdin: () => '',
    stdout: silent,
    stderr: silent,
    ...(fromSnapshot ? { _loadSnapshot: readFileSync(snapshotFd) } : { _makeSnapshot: true }),
  })
}

/** Our own Python, and what is imported in advance, become part of the snapshot. */
export function makeSnapshot(python: PyodideAPI): Uint8Array {
  const source = readFileSync(new URL('./runner.py', import.meta.url), 'utf8')
  python.runPython(`import ${imported}`)
  python.globals.set('_source', source)
  python.runPython(`
import sys, types
sandbox_runner = types.ModuleType('sandbox_runner')
sys.modules['sandbox_runner'] = sandbox_runner
exec(compile(_source, '<sandbox>', 'exec'), sandbox_runner.__dict__)
del _source, sandbox_runner, sys, types
import gc
gc.collect()
del gc
for _name in [name for name in globals() if not name.startswith('_')]: del globals()[_name]
del _name
`)
  return python.makeMemorySnapshot()
}
