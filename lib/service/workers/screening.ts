import { startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { screenDuePeople } from "../operations/people/screen-people.ts";
import { providers } from "../providers.ts";
import { channels, listenOn } from "../storage/channels.ts";
import { sleepNotice } from "./sleep-notice.ts";

/** Starts having people screened as it falls due, in this process. Throws where no screening provider is connected. */
export function startScreening(): WakeLoop {
  const { screening } = providers();
  if (!screening) {
    throw new Error("SERVICE_MODE=production needs a screening provider: connect one in lib/service/providers.ts.");
  }
  return startWakeLoop({
    name: "screening",
    listen: listenOn(channels.screenings),
    sleep: sleepNotice(channels.screenings),
    work: () => screenDuePeople(screening),
  });
}
