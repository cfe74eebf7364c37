import { brandName } from "../../../../brand/name.ts";
import type { callback as english } from "../en/callback.ts";
import type { Translation } from "../translation.ts";

export const callback: Translation<typeof english> = {
  pageTitle: "Sin conexión",
  again: "Intentar de nuevo",
  links: {
    signIn: "Iniciar sesión",
    business: "Volver a la empresa",
    dashboard: "Volver a su resumen",
    onboarding: "Volver a su cuenta de pagos",
  },
  problems: {
    denied: {
      title: `Usted no autorizó a ${brandName}`,
      text: "No se conectó nada y nada cambió. Puede autorizar cuando quiera.",
    },
    expired_code: {
      title: "Pasó demasiado tiempo",
      text: "Su autorización venció o ya se usó, así que no se conectó nada. Autorice de nuevo.",
    },
    unknown_attempt: {
      title: "No podemos relacionar esto con una solicitud suya",
      text: "Es posible que haya empezado en otro navegador o hace demasiado tiempo. Si su cuenta aún no está conectada, empiece de nuevo aquí.",
    },
    missing_state: {
      title: "No sabemos a qué solicitud corresponde esta respuesta",
      text: "Por su seguridad, nos detuvimos aquí. No servirá intentarlo de nuevo hasta que lo corrijamos. Comuníquese con nosotros.",
    },
    wrong_issuer: {
      title: "Esta respuesta no vino de [service]",
      text: `Por su seguridad, nos detuvimos aquí. Empiece de nuevo desde ${brandName}.`,
    },
    other_person: {
      title: "Otra persona tiene la sesión iniciada aquí",
      text: `Esta solicitud pertenece a otra cuenta de ${brandName}. Inicie sesión en esa cuenta y empiece de nuevo.`,
    },
    signed_out: {
      title: "Su sesión terminó antes de que regresara",
      text: "No se conectó nada. Inicie sesión y empiece de nuevo.",
    },
    other_user: {
      title: "Esa era otra cuenta",
      text: "La cuenta de [service] que autorizó no es suya, así que no la conectamos. Autorice su propia cuenta.",
    },
    unavailable: {
      title: "[service] no respondió",
      text: "No se conectó nada. Por lo general se resuelve en un minuto. Intente de nuevo entonces.",
    },
    not_now: {
      title: "[service] no puede hacer esto en este momento",
      text: "No se conectó nada. Por lo general se resuelve en un minuto. Intente de nuevo entonces.",
    },
    not_understood: {
      title: "No pudimos leer la respuesta",
      text: `[service] le envió a ${brandName} una respuesta que no pudimos leer, así que no se conectó nada. Si vuelve a suceder, comuníquese con nosotros.`,
    },
    failed: {
      title: "Su cuenta no se conectó",
      text: "[service] no pudo completar la autorización. Intente de nuevo.",
    },
  },
};
