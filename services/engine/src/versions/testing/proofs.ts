// How each change shows on both sides of its boundary, by its summary. `ids` are the requirements that the proof shows
// in full; what only a real container can show is proven elsewhere.
import { containerProofs } from './container-proofs.ts'
import { imageProofs } from './image-proofs.ts'
import { networkProofs } from './network-proofs.ts'
import { pluginProofs } from './plugin-proofs.ts'
import type { Proof } from './proof.ts'
import { serviceProofs } from './service-proofs.ts'
import { swarmProofs } from './swarm-proofs.ts'
import { systemProofs } from './system-proofs.ts'

export const proofs: Readonly<Record<string, Proof>> = {
  ...containerProofs,
  ...imageProofs,
  ...networkProofs,
  ...pluginProofs,
  ...serviceProofs,
  ...swarmProofs,
  ...systemProofs,
}
