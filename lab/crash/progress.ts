/** A run's progress. Every wait is bounded and rejects with a sentence. */
export type Progress = {
  noteBooking: (booked: { api: string; sentAt: number; transferId: string }) => void;
  noteWebhook: (webhook: { webhookType: string; resourceId: string }) => void;
  /** Resolves after this many more acknowledged bookings. */
  bookings: (count: number) => Promise<void>;
  /** Resolves, with the elapsed ms, once each API has booked after `since` and that booking's webhook has arrived. */
  serving: (apis: string[], since: number) => Promise<number>;
};

const waitMsMax = 180_000;

export function createProgress(): Progress {
  let count = 0;
  const newestSentAt = new Map<string, number>();
  const sentAtOf = new Map<string, number>();
  const arrivedEarly = new Set<string>();
  let newestAnnounced = 0;
  const waiting = new Set<{ isReached: () => boolean; resolve: () => void }>();

  function settleReached(): void {
    for (const waiter of waiting) {
      if (!waiter.isReached()) continue;
      waiting.delete(waiter);
      waiter.resolve();
    }
  }

  function reach(what: string, isReached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`Timed out after ${waitMsMax / 1000} s waiting for a ${what}.`)),
        waitMsMax,
      );
      waiting.add({
        isReached,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      });
      settleReached();
    });
  }

  function announce(transferId: string): void {
    newestAnnounced = Math.max(newestAnnounced, sentAtOf.get(transferId) ?? 0);
    sentAtOf.delete(transferId);
  }

  return {
    noteBooking: ({ api, sentAt, transferId }) => {
      count += 1;
      newestSentAt.set(api, Math.max(newestSentAt.get(api) ?? 0, sentAt));
      sentAtOf.set(transferId, sentAt);
      if (arrivedEarly.delete(transferId)) announce(transferId);
      settleReached();
    },
    noteWebhook: ({ webhookType, resourceId }) => {
      if (webhookType !== "transfer_updated") return;
      if (sentAtOf.has(resourceId)) announce(resourceId);
      else arrivedEarly.add(resourceId);
      settleReached();
    },
    bookings: (additional) => {
      const goal = count + additional;
      return reach("further booking", () => count >= goal);
    },
    serving: async (apis, since) => {
      const isServed = () => apis.every((api) => (newestSentAt.get(api) ?? 0) >= since) && newestAnnounced >= since;
      await reach(`booking at ${apis.join(" and ")} with its webhook`, isServed);
      return Date.now() - since;
    },
  };
}
