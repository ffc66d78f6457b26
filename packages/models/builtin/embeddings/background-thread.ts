// The thread for texts that nobody waits for: as the other one, behind all who are waited for.
import { stepBack } from '@atoll/kernel/turns/step-back'

stepBack()
await import('./encoder-thread.ts')
