// Plugins.
import { type Proof, proof } from './proof.ts'

export const pluginProofs: Record<string, Proof> = {
  'There are plugins.': proof('', async (at) => {
    await at.status('GET /plugins', 404, 200)
    await at.status('POST /plugins/:name/enable', 404, 200)
  }),
  'Plugins can be upgraded.': proof('', (at) => at.status('POST /plugins/:name/upgrade', 404, 200)),
  'Plugins can be disabled by force.': proof('', (at) => at.asks('POST /plugins/:name/disable', 'force')),
}
