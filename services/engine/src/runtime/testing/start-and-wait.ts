// A program for tests: an engine that starts containers and is then killed. Arguments: folder, then ids.
import { RuntimeKit } from './runtime-kit.ts'

const [folder = '', ...ids] = process.argv.slice(2)
const kit = await RuntimeKit.open({ folder })
const script = (code: number): string =>
  `i=0; while [ $i -lt 20 ]; do echo line $i; i=$((i+1)); sleep 0.05; done; exit ${code}`
for (const [index, id] of ids.entries()) {
  const container = kit.container(['sh', '-c', script(index + 3)], { id, runtime: index % 2 === 0 ? 'crun' : 'runc' })
  await kit.runtime.create(container)
  if (index < ids.length - 1) await kit.runtime.start(id)
}
process.stdout.write('ready\n')
setInterval(() => {}, 1000)
