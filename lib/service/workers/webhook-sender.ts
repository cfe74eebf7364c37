import { startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { createDeliverySending } from "../operations/webhooks/send-deliveries.ts";
import { channels, listenOn } from "../storage/channels.ts";
import { sleepNotice } from "./sleep-notice.ts";

const graceMs = 2000;

/**
 * Starts sending what is in the outbox. `stop` lets attempts under way finish for 2 s, then cuts them short. `quickMs` is set
 * by a test alone.
 */
export function startWebhookSender({ quickMs }: { quickMs?: number } = {}): WakeLoop {
  const sending = createDeliverySending({ onRoom: () => loop.wake(), quickMs });
  const loop = startWakeLoop({
    name: "webhook sender",
    listen: listenOn(channels.deliveries),
    sleep: sleepNotice(channels.deliveries),
    work: sending.sendAllDue,
  });
  return {
    wake: loop.wake,
    stop: async () => {
      await loop.stop();
      await sending.finish({ graceMs });
    },
  };
}
