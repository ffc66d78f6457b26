// Who may call the engine: whoever can open its socket. File permissions guard it.
import { routeDefiner } from '@atoll/kernel/http/route'

export interface EngineCallers {
  anyone: null
}

export const defineRoute = routeDefiner<EngineCallers>()
