// A Python process: one session. It answers the server's commands one after the other until the server goes away.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildSettings } from './child-settings.ts'
import { closeHost, prepareHost } from './close-host.ts'
import { ImportGate } from './import-gate.ts'
import { Interpreter } from './interpreter.ts'
import { type Lock, loadPython, makeSnapshot } from './load-python.ts'
import { readCommand, sendReply } from './pipes.ts'

// Held before the global is taken away.
const { exit } = process
const end = (code: number): never => exit.call(process, code)

const settings = JSON.parse(process.argv[2] ?? '{}') as ChildSettings
prepareHost()
const gate = new ImportGate()
const lock = JSON.parse(readFileSync(join(settings.pyodideFolder, 'pyodide-lock.json'), 'utf8')) as Lock
const python = await loadPython(settings, lock)
if (!settings.fromSnapshot) {
  sendReply({ is: 'snapshot' }, makeSnapshot(python))
  end(0)
}
const interpreter = new Interpreter(python, settings, lock, gate)
interpreter.start()
closeHost()
globalThis.gc?.()
sendReply({ is: 'ready' })

try {
  for (let command = readCommand(); command !== undefined; command = readCommand()) {
    if (command.header.do === 'put') interpreter.put(command.header.name, command.bytes)
    else interpreter.run(Buffer.from(command.bytes).toString('utf8'))
  }
} catch {
  // The server is gone, or Python is: either way there is nothing left to do.
}
end(0)
