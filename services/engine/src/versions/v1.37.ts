// What version 1.37 changed.
import type { Change } from './change.ts'
import { create } from './container-fields.ts'
import { at, type Entry, inTurn } from './shape.ts'

export const changes: readonly Change[] = [
  {
    since: '1.37',
    summary: 'Ports can be of SCTP.',
    requirements: ['ENG-145'],
    routes: [create],
    body: inTurn(at('ExposedPorts', dropSctp), at('HostConfig.PortBindings', dropSctp)),
  },
]

function dropSctp(ports: Entry): void {
  for (const port of Object.keys(ports)) if (port.endsWith('/sctp')) delete ports[port]
}
