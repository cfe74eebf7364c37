import { brandName } from "../../../../brand/name.ts";
import type * as english from "../en/common.ts";
import type { Translation } from "../translation.ts";

export const about: Translation<typeof english.about> = {
  title: `${brandName}: un mercado que les paga a sus vendedores`,
  description: "Un mercado que les paga a sus vendedores: la integración de referencia de Gangway.",
};

export const frame: Translation<typeof english.frame> = {
  skip: "Ir al contenido",
  homeLink: `${brandName}, inicio`,
  mainNavigation: "Principal",
  dashboard: "Resumen",
  business: "Empresa",
  payments: "Pagos",
  signIn: "Iniciar sesión",
  signedInAs: "Sesión iniciada como",
  signOut: "Cerrar sesión",
  signingOut: "Cerrando sesión",
  language: "Idioma",
  footer: {
    what: `${brandName} es la aplicación de Gangway para socios, una integración de referencia.`,
    caution: "Aquí no se mueve dinero real. Por favor, no ingrese información real.",
    service: "El servicio que la respalda: <service>[service]</service>",
    serviceAndConsole: "El servicio que la respalda: <service>[service]</service> y <console>su consola</console>",
  },
  notFound: {
    title: "No encontramos esta página",
    text: "Revise la dirección. También es posible que la página sea de otra persona.",
    action: "Ir a la página de inicio",
  },
  error: {
    title: "Algo salió mal de nuestro lado",
    text: "No se perdió nada ni se hizo nada dos veces. Puede intentarlo de nuevo sin riesgo; nosotros también lo haremos automáticamente.",
    action: "Intentar de nuevo",
  },
};

export const ui: Translation<typeof english.ui> = {
  optional: "opcional",
  error: "Error",
  verificationCode: "Código de verificación",
  sixDigits: "6 dígitos.",
  tenDigits: "10 dígitos, con o sin espacio.",
  checkedAutomatically: "Lo verificaremos automáticamente.",
  progress: "Progreso",
  step: "Paso %current de %count: %title",
  done: "listo",
  notYet: "Todavía no",
  close: "Cerrar",
  month: "Mes",
  day: "Día",
  year: "Año",
  checkOneAnswer: "Revise una respuesta",
  checkAnswers: "Revise %count respuestas",
  didntWork: "No funcionó",
  availableIn: "Disponible en %seconds s",
  justNow: "hace un momento",
  inAMoment: "en un momento",
  unknown: "desconocido",
  copy: "Copiar %what",
  copied: "Copiado",
  pages: "Páginas",
  newer: "Más recientes",
  older: "Anteriores",
};

export const problems: Translation<typeof english.problems> = {
  notLoadedTitle: `${brandName} no respondió`,
  notLoaded: "No se envió nada. Revise su conexión a internet e intente de nuevo.",
  outOfDate: "Esta página ya no está al día. Vuelva a cargarla.",
  otherAccountTitle: "Ahora su sesión es la de {name}",
  otherAccount:
    "Esta página es de otra cuenta, así que no se envió nada. Para enviarlo, inicie sesión con esa cuenta en otra pestaña e intente de nuevo aquí.",
  noContactTitle: `No podemos comunicarnos con ${brandName} en este momento`,
  noContact: "Esta página muestra lo último que tenemos. Seguiremos intentando.",
  noAnswerTitle: "No recibimos respuesta",
  noAnswer:
    "No sabemos si esto llegó. Lo que escribió sigue aquí. Envíelo de nuevo en un momento: nada se hace dos veces.",
};

export const amounts: Translation<typeof english.amounts> = {
  about: "unos {amount}",
  unknown: "Desconocido",
  unknownAmount: "un monto desconocido",
};

// Masculine: each word follows "estado".
export const statuses: Translation<typeof english.statuses> = {
  unknown: "Desconocido",
  words: {
    pending: "Pendiente",
    active: "Activo",
    open: "Abierto",
    processed: "Procesado",
    completed: "Completado",
    failed: "Fallido",
    cancelled: "Cancelado",
    returned: "Devuelto",
    submitting: "Enviando",
    unanswered: "Sin confirmar",
    missing: "No reconocido",
    conflicting: "Necesita su revisión",
    paid_twice: "Quizás pagado dos veces",
    refused: "Rechazado",
    confirmed_arrived: "Confirmado: llegó",
    confirmed_not_arrived: "Confirmado: no llegó",
    approved: "Aprobado",
    rejected: "Rechazado",
    suspended: "Suspendido",
    retry: "Los datos no coinciden",
    document: "Falta un documento",
    closed: "Cerrado",
    verified: "Verificado",
    unverified: "No verificado",
    personal: "Personal",
    business: "Empresa",
    applied: "Aplicado",
    not_ours: "No se refiere a esta aplicación",
    try_later: "Abandonado",
    no_reason: "No se indicó ningún motivo",
    unspecified: "No se indicó ningún motivo",
    account_closed: "La cuenta de destino está cerrada",
    instrument_not_usable: "Una de las dos cuentas está cerrada",
    insufficient_funds: "No hay suficiente dinero disponible",
    user_not_approved: "La empresa no está aprobada para enviar dinero",
    not_found: "Una de las dos cuentas ya no existe",
    validation_failed: "El servicio no aceptó los datos del pago",
    said_by_operator: "Un operador lo revisó y determinó que no se hizo ningún pago",
  },
};
